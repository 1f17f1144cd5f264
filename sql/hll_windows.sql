-- hll_union over window frames that move: sketches leave in the order in which they
-- entered. Whatever the frame, the bytes are those of a sub-query for each row.

-- Positions that are unique, a key with ties and gaps for RANGE and GROUPS, and a
-- sketch of a few values: NULL, without parameters, empty, and at times of many values.
CREATE TEMP TABLE w AS
	SELECT part, pos, pos * pos / 40 AS key, CASE pos % 9 WHEN 2 THEN NULL WHEN 5 THEN hll_empty() WHEN 7 THEN hll_empty(10)
		WHEN 4 THEN (SELECT hll_agg(pos * x, 10) FROM generate_series(1, 400) x)
		ELSE (SELECT hll_agg(pos % 10 * 10 + x, 10) FROM generate_series(1, 1 + pos % 4) x) END AS h
	FROM generate_series(1, 3) part, generate_series(1, 60) pos WHERE pos <= 20 * part;
ALTER TABLE w ADD COLUMN grp int;
UPDATE w SET grp = (SELECT count(DISTINCT o.key) FROM w o WHERE o.part = w.part AND o.key <= w.key);
SELECT part, count(*), count(DISTINCT key) AS groups, count(h) AS sketches, count(*) FILTER (WHERE (hll_info(h)).precision IS NULL) AS bare_or_null,
	count(*) FILTER (WHERE hll_count(h) = 0) AS empty, count(*) FILTER (WHERE (hll_info(h)).representation = 'dense') AS dense
FROM w GROUP BY part ORDER BY part;

\i test/sql/frames.sql

CREATE FUNCTION pg_temp.compare(frame text, sees text, OUT rows bigint, OUT unions boolean, OUT filtered boolean, OUT again boolean, OUT nulls bigint) AS $$
BEGIN
	EXECUTE format($sql$
		WITH seen AS (
			SELECT part, pos, hll_union(h) OVER frame AS u, hll_union(h) FILTER (WHERE pos %% 3 <> 1) OVER frame AS f, hll_union(h) OVER frame AS b
			FROM w WINDOW frame AS (PARTITION BY part %s))
		SELECT count(*), bool_and(s.u::bytea IS NOT DISTINCT FROM x.u::bytea), bool_and(s.f::bytea IS NOT DISTINCT FROM x.f::bytea),
			bool_and(s.b::bytea IS NOT DISTINCT FROM x.u::bytea), count(*) FILTER (WHERE s.u IS NULL)
		FROM seen s JOIN w r USING (part, pos), LATERAL (
			SELECT hll_union(o.h) AS u, hll_union(o.h) FILTER (WHERE o.pos %% 3 <> 1) AS f FROM w o WHERE o.part = r.part AND (%s)) x
		$sql$, frame, sees)
	INTO rows, unions, filtered, again, nulls;
END
$$ LANGUAGE plpgsql;
SELECT n, c.* FROM frames, pg_temp.compare(frame, sees) c ORDER BY n;

-- A frame that would take more memory than a hash table may is added up anew for each
-- row: 60 dense sketches of precision 12 take 90 kB as they are stored, and 240 kB
-- united; 35 take 52 and 140 kB.
CREATE TEMP TABLE wide AS SELECT pos, hll_agg(pos * 100 + x, 12) AS h FROM generate_series(1, 150) pos, generate_series(1, 3000) x GROUP BY pos;
CREATE FUNCTION pg_temp.wide_frames() RETURNS TABLE (preceding int, rows bigint, same boolean) AS $$
	SELECT preceding, count(*), bool_and(u = (SELECT hll_agg(v, 12) FROM generate_series(greatest(pos - preceding, 1) * 100 + 1, pos * 100 + 3000) v))
	FROM (SELECT 5 AS preceding, pos, hll_union(h) OVER (ORDER BY pos ROWS 5 PRECEDING) AS u FROM wide
		UNION ALL SELECT 34, pos, hll_union(h) OVER (ORDER BY pos ROWS 34 PRECEDING) FROM wide
		UNION ALL SELECT 59, pos, hll_union(h) OVER (ORDER BY pos ROWS 59 PRECEDING) FROM wide) s GROUP BY preceding ORDER BY preceding;
$$ LANGUAGE sql;
SELECT * FROM pg_temp.wide_frames();
SET work_mem = '64kB';
SET hash_mem_multiplier = 1;
SELECT * FROM pg_temp.wide_frames();
RESET work_mem;
RESET hash_mem_multiplier;

-- Sketches of another precision, kind or seed in turns. A frame may hold one after the
-- others have left, and not before.
CREATE TEMP TABLE mixed AS
	SELECT pos, CASE pos / 10 WHEN 0 THEN hll_add(hll_empty(10), pos) WHEN 1 THEN hll_add(hll_empty(10), pos::text)
			WHEN 2 THEN hll_add(hll_empty(12), pos) WHEN 3 THEN hll_add(hll_empty(12, 5), pos) ELSE hll_add(hll_empty(), pos) END AS h
	FROM generate_series(0, 49) pos;
CREATE FUNCTION pg_temp.try(command text) RETURNS text AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT ' || command INTO result;
	RETURN result;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION pg_temp.over_mixed(frame text, condition text) RETURNS text AS $$
	SELECT pg_temp.try(format('count(u) FROM (SELECT hll_union(h) OVER (ORDER BY pos %s) AS u FROM mixed WHERE %s) s', frame, condition))
$$ LANGUAGE sql;
SELECT pg_temp.over_mixed('ROWS CURRENT ROW', 'true') AS one_row, pg_temp.over_mixed('RANGE CURRENT ROW', 'true') AS one_key;
SELECT boundary, pg_temp.over_mixed('ROWS 1 PRECEDING', format('pos IN (%s, %s)', boundary - 1, boundary)) AS meets FROM (VALUES (10), (20), (30), (40)) t(boundary);
SELECT boundary, pg_temp.over_mixed('ROWS 3 PRECEDING', format('pos BETWEEN %s AND %s', boundary - 8, boundary)) AS meets FROM (VALUES (10), (20), (30), (40)) t(boundary);
-- With NULL and parameterless ones between them they never meet.
CREATE TEMP TABLE apart AS SELECT pos, CASE WHEN pos % 10 < 5 THEN h WHEN pos % 10 < 8 THEN hll_empty() END AS h FROM mixed;
SELECT preceding, count(*), bool_and(u IS NOT DISTINCT FROM (SELECT hll_union(o.h) FROM apart o WHERE o.pos BETWEEN s.pos - preceding AND s.pos)) AS same, count(DISTINCT u) > 25 AS many
FROM (SELECT 4 AS preceding, pos, hll_union(h) OVER (ORDER BY pos ROWS 4 PRECEDING) AS u FROM apart
	UNION ALL SELECT 5, pos, hll_union(h) OVER (ORDER BY pos ROWS 5 PRECEDING) FROM apart
	UNION ALL SELECT 1, pos, hll_union(h) OVER (ORDER BY pos ROWS 1 PRECEDING) FROM apart) s GROUP BY preceding ORDER BY preceding;

-- Results are kept, moved and sorted after the window: each row has its own.
SELECT bool_and(first = (SELECT h FROM w WHERE part = 3 AND pos = 1)) AS first_value, bool_and(lead IS NOT DISTINCT FROM next) AS lead
FROM (SELECT pos, first_value(u) OVER (ORDER BY pos) AS first, lead(u) OVER (ORDER BY pos) AS lead,
		(SELECT hll_union(h) FROM w WHERE part = 3 AND w.pos BETWEEN t.pos - 5 AND t.pos + 1) AS next
	FROM (SELECT pos, hll_union(h) OVER (ORDER BY pos ROWS 6 PRECEDING) AS u FROM w WHERE part = 3) t) s WHERE pos < 60;
-- Stored out of line, also in a column that may compress, with a short length word, and in a working form.
CREATE TEMP TABLE stored (day int, external hll, extended hll, small hll);
ALTER TABLE stored ALTER extended SET STORAGE extended;
INSERT INTO stored SELECT day, hll_agg(v), hll_agg(v), hll_agg(v, 4) FILTER (WHERE v % 1000 = day)
	FROM generate_series(1, 30) day, generate_series(day * 1000, day * 1000 + 6000) v GROUP BY day;
SELECT count(*), bool_and(a = x.h) AS external, bool_and(b = x.h) AS extended, bool_and(d = x.small) AS small
FROM (SELECT day, hll_union(external) OVER week AS a, hll_union(extended) OVER week AS b, hll_union(small) OVER week AS d FROM stored
	WINDOW week AS (ORDER BY day ROWS 6 PRECEDING)) s, LATERAL (SELECT hll_union(external) AS h, hll_union(small) AS small FROM stored o WHERE o.day BETWEEN s.day - 6 AND s.day) x;
CREATE AGGREGATE pg_temp.working(int) (SFUNC = hll_agg_step, STYPE = hll);
SELECT count(*), bool_and(u = (SELECT hll_agg(v % n) FROM generate_series(1, 3000, 7) v, generate_series(greatest(s.n - 2, 1), s.n) n)) AS working
FROM (SELECT n, hll_union(state) OVER (ORDER BY n ROWS 2 PRECEDING) AS u
	FROM (SELECT n, pg_temp.working(v % n) AS state FROM generate_series(1, 3000, 7) v, generate_series(1, 30) n GROUP BY n) t) s;
-- Straight from groups, and an aggregate over values, which slides all the same.
SELECT count(*), bool_and(week = (SELECT hll_agg(v) FROM generate_series(greatest(s.day - 6, 1) * 50, s.day * 50 + 400) v)) AS straight_from_groups
FROM (SELECT day, hll_union(hll_agg(v)) OVER (ORDER BY day RANGE 6 PRECEDING) AS week FROM generate_series(1, 30) day, generate_series(day * 50, day * 50 + 400) v GROUP BY day) s;

-- Nobody else has use for what a frame keeps.
SELECT call, pg_temp.try(call) AS says FROM (VALUES (1, 'hll_frame_step(NULL, h) FROM w LIMIT 1'), (2, 'hll_frame_inverse(NULL, h) FROM w LIMIT 1'),
	(3, 'hll_frame_final(NULL)')) t(n, call) ORDER BY n;
CREATE AGGREGATE pg_temp.frames(hll) (SFUNC = hll_frame_step, STYPE = internal, FINALFUNC = hll_frame_final);
SELECT pg_temp.try('pg_temp.frames(h) FROM w') AS without_a_window, pg_temp.try('bool_and(f = u) FROM (SELECT pg_temp.frames(h) OVER () AS f, hll_union(h) OVER () AS u FROM w) t') AS with_one;
