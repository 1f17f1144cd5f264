-- cms_union over window frames that move: what leaves the frame is taken away
-- again. Whatever the frame, the bytes are those of a sub-query for each row.

-- Positions that are unique, a key with ties and gaps for RANGE and GROUPS, and a
-- sketch of a few values: NULL, without parameters, empty, and at times of many values.
CREATE TEMP TABLE w AS
	SELECT part, pos, pos * pos / 40 AS key, CASE pos % 9 WHEN 2 THEN NULL WHEN 5 THEN cms_empty() WHEN 7 THEN cms_empty(0.01, 0.1)
		WHEN 4 THEN (SELECT cms_agg(pos * x, x::bigint * x, 0.01, 0.1) FROM generate_series(1, 400) x)
		ELSE (SELECT cms_agg(pos % 10 * 10 + x, x, 0.01, 0.1) FROM generate_series(1, 1 + pos % 4) x) END AS c
	FROM generate_series(1, 3) part, generate_series(1, 60) pos WHERE pos <= 20 * part;
ALTER TABLE w ADD COLUMN grp int;
UPDATE w SET grp = (SELECT count(DISTINCT o.key) FROM w o WHERE o.part = w.part AND o.key <= w.key);
SELECT part, count(*), count(DISTINCT key) AS groups, count(c) AS sketches, count(*) FILTER (WHERE (cms_info(c)).width IS NULL) AS bare_or_null,
	count(*) FILTER (WHERE cms_total(c) = 0) AS empty, count(*) FILTER (WHERE get_byte(c::bytea, 1) % 8 = 1) AS packed
FROM w GROUP BY part ORDER BY part;

\i test/sql/frames.sql

CREATE FUNCTION pg_temp.compare(frame text, sees text, OUT rows bigint, OUT unions boolean, OUT filtered boolean, OUT of_parts boolean,
	OUT again boolean, OUT totals boolean, OUT nulls bigint) AS $$
BEGIN
	EXECUTE format($sql$
		WITH seen AS (
			SELECT part, pos, cms_union(c) OVER frame AS u, cms_union(c) FILTER (WHERE pos %% 3 <> 1) OVER frame AS f,
				cms_union(c || cms_empty(0.01, 0.1)) OVER frame AS p, cms_union(c) OVER frame AS b, sum(cms_total(c)) OVER frame AS n
			FROM w WINDOW frame AS (PARTITION BY part %s))
		SELECT count(*), bool_and(s.u::bytea IS NOT DISTINCT FROM x.u::bytea), bool_and(s.f::bytea IS NOT DISTINCT FROM x.f::bytea),
			bool_and(s.p::bytea IS NOT DISTINCT FROM x.p::bytea), bool_and(s.b::bytea IS NOT DISTINCT FROM x.u::bytea),
			bool_and(cms_total(s.u) IS NOT DISTINCT FROM s.n), count(*) FILTER (WHERE s.u IS NULL)
		FROM seen s JOIN w r USING (part, pos), LATERAL (
			SELECT cms_union(o.c) AS u, cms_union(o.c) FILTER (WHERE o.pos %% 3 <> 1) AS f, cms_union(o.c || cms_empty(0.01, 0.1)) AS p
			FROM w o WHERE o.part = r.part AND (%s)) x
		$sql$, frame, sees)
	INTO rows, unions, filtered, of_parts, again, totals, nulls;
END
$$ LANGUAGE plpgsql;
SELECT n, c.* FROM frames, pg_temp.compare(frame, sees) c ORDER BY n;
-- Offsets that a query takes as parameters.
PREPARE sliding(int, int) AS
	SELECT count(*), bool_and(u IS NOT DISTINCT FROM (SELECT cms_union(c) FROM w o WHERE o.part = 3 AND o.pos BETWEEN s.pos - $1 AND s.pos + $2)) AS same
	FROM (SELECT pos, cms_union(c) OVER (ORDER BY pos ROWS BETWEEN $1 PRECEDING AND $2 FOLLOWING) AS u FROM w WHERE part = 3) s;
EXECUTE sliding(0, 0);
EXECUTE sliding(6, 0);
EXECUTE sliding(0, 59);
EXECUTE sliding(17, 3);

-- Sketches with other parameters, of another kind or with another seed in turns. A
-- frame may hold one after the others have left, and not before.
CREATE TEMP TABLE mixed AS
	SELECT pos, CASE pos / 10 WHEN 0 THEN cms_add(cms_empty(0.1, 0.1), pos) WHEN 1 THEN cms_add(cms_empty(0.1, 0.1), pos::text)
			WHEN 2 THEN cms_add(cms_empty(0.2, 0.1), pos) WHEN 3 THEN cms_add(cms_empty(0.2, 0.3), pos) WHEN 4 THEN cms_add(cms_empty(0.2, 0.3, 5), pos)
			ELSE cms_add(cms_empty(), pos) END AS c
	FROM generate_series(0, 59) pos;
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
	SELECT pg_temp.try(format('count(*) || bool_and(u IS NOT DISTINCT FROM (SELECT cms_union(o.c) FROM (SELECT * FROM (%2$s) x) o WHERE o.pos = s.pos))::text
		FROM (SELECT pos, cms_union(c) OVER (ORDER BY pos %1$s) AS u FROM (%2$s) m) s', frame, 'SELECT * FROM mixed WHERE ' || condition))
$$ LANGUAGE sql;
SELECT pg_temp.over_mixed('ROWS CURRENT ROW', 'true') AS one_row, pg_temp.over_mixed('RANGE CURRENT ROW', 'true') AS one_key;
SELECT boundary, pg_temp.over_mixed('ROWS 1 PRECEDING', format('pos IN (%s, %s)', boundary - 1, boundary)) AS meets FROM (VALUES (10), (20), (30), (40), (50)) t(boundary);
-- With NULL and parameterless ones between them they never meet.
CREATE TEMP TABLE apart AS
	SELECT pos, CASE WHEN pos % 10 < 5 THEN c WHEN pos % 10 < 8 THEN cms_empty() END AS c FROM mixed;
SELECT preceding, count(*), bool_and(u IS NOT DISTINCT FROM (SELECT cms_union(o.c) FROM apart o WHERE o.pos BETWEEN s.pos - preceding AND s.pos)) AS same, count(DISTINCT u) > 30 AS many
FROM (SELECT 4 AS preceding, pos, cms_union(c) OVER (ORDER BY pos ROWS 4 PRECEDING) AS u FROM apart
	UNION ALL SELECT 5, pos, cms_union(c) OVER (ORDER BY pos ROWS 5 PRECEDING) FROM apart
	UNION ALL SELECT 1, pos, cms_union(c) OVER (ORDER BY pos ROWS 1 PRECEDING) FROM apart) s GROUP BY preceding ORDER BY preceding;
SELECT pg_temp.try('count(u) FROM (SELECT cms_union(c) OVER (ORDER BY pos ROWS 6 PRECEDING) AS u FROM apart) t');
-- The kind of value goes with the last value of that kind, while an empty sketch stays.
SELECT n, cms_total(u) AS total, (cms_info(u)).value_type, u = CASE n WHEN 1 THEN cms_add(cms_empty(0.1, 0.1), 1) WHEN 2 THEN cms_add(cms_empty(0.1, 0.1), 1) WHEN 3 THEN cms_empty(0.1, 0.1)
	ELSE cms_add(cms_empty(0.1, 0.1), 'a') END AS as_built
FROM (SELECT n, cms_union(c) OVER (ORDER BY n ROWS 1 PRECEDING) AS u
	FROM (VALUES (1, cms_add(cms_empty(0.1, 0.1), 1)), (2, cms_empty(0.1, 0.1)), (3, cms_empty(0.1, 0.1)), (4, cms_add(cms_empty(0.1, 0.1), 'a'))) t(n, c)) s ORDER BY n;

-- Totals that pass 2^32, and come back; one that passes 2^63 - 1 on the way.
CREATE TEMP TABLE heavy AS
	SELECT pos, cms_add(cms_empty(0.1, 0.1), pos % 3, CASE WHEN pos % 11 = 0 THEN 9000000000000000000 WHEN pos % 4 = 0 THEN 4000000000 ELSE pos END) AS c FROM generate_series(1, 60) pos;
SELECT count(*), bool_and(u = (SELECT cms_union(o.c) FROM heavy o WHERE o.pos BETWEEN s.pos - 4 AND s.pos)) AS same, count(*) FILTER (WHERE cms_total(u) >= 4294967296) > 30 AS beyond,
	count(*) FILTER (WHERE cms_total(u) < 1000) > 0 AS below
FROM (SELECT pos, cms_union(c) OVER (ORDER BY pos ROWS 4 PRECEDING) AS u FROM heavy) s;
SELECT count(*), bool_and(u = (SELECT cms_union(o.c) FROM heavy o WHERE o.pos BETWEEN s.pos - 2 AND s.pos)) AS same, count(*) FILTER (WHERE cms_total(u) < 1000) > 5 AS below
FROM (SELECT pos, cms_union(c) OVER (ORDER BY pos ROWS 2 PRECEDING) AS u FROM heavy) s;
SELECT pg_temp.try('count(u) FROM (SELECT cms_union(c) OVER (ORDER BY pos ROWS 11 PRECEDING) AS u FROM heavy) t');

-- Results are kept, moved and sorted after the window: each row has its own.
SELECT bool_and(first = (SELECT c FROM w WHERE part = 3 AND pos = 1)) AS first_value, bool_and(lead IS NOT DISTINCT FROM next) AS lead
FROM (SELECT pos, first_value(u) OVER (ORDER BY pos) AS first, lead(u) OVER (ORDER BY pos) AS lead,
		(SELECT cms_union(c) FROM w WHERE part = 3 AND w.pos BETWEEN t.pos - 5 AND t.pos + 1) AS next
	FROM (SELECT pos, cms_union(c) OVER (ORDER BY pos ROWS 6 PRECEDING) AS u FROM w WHERE part = 3) t) s WHERE pos < 60;
-- Stored out of line, also in a column that may compress, and with a short length word; and in a working form.
CREATE TEMP TABLE stored (day int, external cms, extended cms, small cms);
ALTER TABLE stored ALTER extended SET STORAGE extended;
INSERT INTO stored SELECT day, cms_agg(v % 5000, v), cms_agg(v % 5000, v), cms_agg(v, 0.5, 0.5) FILTER (WHERE v % 1000 = day)
	FROM generate_series(1, 30) day, generate_series(day * 100, day * 100 + 6000) v GROUP BY day;
CREATE AGGREGATE pg_temp.working(int, bigint) (SFUNC = cms_agg_step, STYPE = cms);
SELECT count(*), bool_and(a = x.c) AS external, bool_and(b = x.c) AS extended, bool_and(d = x.small) AS small
FROM (SELECT day, cms_union(external) OVER week AS a, cms_union(extended) OVER week AS b, cms_union(small) OVER week AS d FROM stored
	WINDOW week AS (ORDER BY day ROWS 6 PRECEDING)) s, LATERAL (SELECT cms_union(external) AS c, cms_union(small) AS small FROM stored o WHERE o.day BETWEEN s.day - 6 AND s.day) x;
SELECT count(*), bool_and(u = (SELECT cms_agg(v % n, v) FROM generate_series(1, 3000, 7) v, generate_series(greatest(s.n - 2, 1), s.n) n)) AS working
FROM (SELECT n, cms_union(state) OVER (ORDER BY n ROWS 2 PRECEDING) AS u
	FROM (SELECT n, pg_temp.working(v % n, v) AS state FROM generate_series(1, 3000, 7) v, generate_series(1, 30) n GROUP BY n) t) s;

-- What it is for: the last seven days, with counts that are never under the truth.
CREATE TEMP TABLE views AS SELECT day, (day * 13 + i * i) % 997 AS book FROM generate_series(1, 30) day, generate_series(1, 400) i;
CREATE TEMP TABLE daily AS SELECT day, cms_agg(book) AS c FROM views GROUP BY day;
SELECT count(*), bool_and(cms_total(week) = exact) AS totals, bool_and(cms_count(week, 500) BETWEEN of_500 AND of_500 + 0.001 * exact) AS counts
FROM (SELECT day, cms_union(c) OVER (ORDER BY day ROWS 6 PRECEDING) AS week FROM daily) s, LATERAL (
	SELECT count(*) AS exact, count(*) FILTER (WHERE book = 500) AS of_500 FROM views v WHERE v.day BETWEEN s.day - 6 AND s.day) e;
SELECT count(*), bool_and(week = (SELECT cms_agg(book) FROM views v WHERE v.day BETWEEN s.day - 6 AND s.day)) AS straight_from_groups
FROM (SELECT day, cms_union(cms_agg(book)) OVER (ORDER BY day RANGE 6 PRECEDING) AS week FROM views GROUP BY day) s;
-- The aggregates over values have no inverse, and slide all the same.
SELECT count(*), bool_and(u IS NOT DISTINCT FROM (SELECT cms_agg(book) FROM (SELECT * FROM views LIMIT 300) v)) AS whole,
	bool_and(cms_total(s) = n) AS sliding FROM (SELECT cms_agg(book) OVER () AS u, cms_agg(book) OVER f AS s, count(book) OVER f AS n FROM (SELECT * FROM views LIMIT 300) v
	WINDOW f AS (ORDER BY day, book ROWS 9 PRECEDING)) t;

-- Arguments are evaluated again when a row leaves the frame. A function that was
-- declared IMMUTABLE and is not may give another sketch then, or none: an answer or
-- an error, and what entered is never taken for something else.
CREATE SEQUENCE calls;
CREATE FUNCTION lying(sketches cms[]) RETURNS cms LANGUAGE plpgsql IMMUTABLE AS
	'BEGIN RETURN sketches[1 + nextval(''calls'') % array_length(sketches, 1)]; END';
SELECT name, count(w) > 0 AS answers FROM (
	SELECT name, cms_union(lying(sketches)) OVER (PARTITION BY name ORDER BY n ROWS 1 PRECEDING) AS w
	FROM generate_series(1, 50) n, (VALUES
		('empty ones between', ARRAY[cms_empty(), cms_add(cms_empty(), 1)]),
		('empty ones at first', ARRAY[cms_empty(), cms_empty(), cms_add(cms_empty(), 1), cms_add(cms_empty(), 2)]),
		('others', ARRAY[cms_add(cms_empty(), 1), cms_add(cms_empty(), 2), cms_add(cms_empty(), 3, 5)])) t(name, sketches)) s
GROUP BY name ORDER BY name;
DO $$ BEGIN
	PERFORM cms_union(lying(ARRAY[cms_add(cms_empty(0.5, 0.5), 1), cms_add(cms_empty(0.0001, 0.01), 1), cms_empty()])) OVER (ORDER BY n ROWS 1 PRECEDING)
	FROM generate_series(1, 50) n;
EXCEPTION WHEN invalid_parameter_value THEN
	RAISE NOTICE 'parameters: %', SQLERRM;
END $$;
DROP FUNCTION lying;
DROP SEQUENCE calls;
