-- Window frames of all kinds, several aggregates in one SELECT, against a
-- sub-query for each row.

-- Positions that are unique, a key with ties and gaps for RANGE and GROUPS, a
-- value with repeats and NULLs, and a sketch of a few values.
CREATE TEMP TABLE w AS
	SELECT part, pos, pos * pos / 40 AS key, CASE WHEN pos % 7 = 3 THEN NULL ELSE pos * 37 % 50 END AS v,
		CASE WHEN pos % 5 <> 2 THEN (SELECT hll_agg(pos * 10 + x) FROM generate_series(1, pos % 4) x) END AS h
	FROM generate_series(1, 3) part, generate_series(1, 60) pos WHERE pos <= 20 * part;
ALTER TABLE w ADD COLUMN grp int;
UPDATE w SET grp = (SELECT count(DISTINCT o.key) FROM w o WHERE o.part = w.part AND o.key <= w.key);
SELECT part, count(*), count(DISTINCT key) AS groups, count(v) AS values, count(h) AS sketches FROM w GROUP BY part ORDER BY part;

-- Each frame as SQL has it, and which rows `o` a row `r` sees in it.
CREATE TEMP TABLE frames (n int, frame text, sees text);
INSERT INTO frames VALUES
	(1, 'ORDER BY pos', 'o.pos <= r.pos'),
	(2, 'ORDER BY key', 'o.key <= r.key'),
	(3, '', 'true'),
	(4, 'ORDER BY pos ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING', 'true'),
	(5, 'ORDER BY pos ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'o.pos >= r.pos'),
	(6, 'ORDER BY pos ROWS BETWEEN 6 PRECEDING AND CURRENT ROW', 'o.pos BETWEEN r.pos - 6 AND r.pos'),
	(7, 'ORDER BY pos ROWS BETWEEN 2 PRECEDING AND 5 FOLLOWING', 'o.pos BETWEEN r.pos - 2 AND r.pos + 5'),
	(8, 'ORDER BY pos ROWS BETWEEN 9 PRECEDING AND 4 PRECEDING', 'o.pos BETWEEN r.pos - 9 AND r.pos - 4'),
	(9, 'ORDER BY pos ROWS BETWEEN 4 FOLLOWING AND 9 FOLLOWING', 'o.pos BETWEEN r.pos + 4 AND r.pos + 9'),
	(10, 'ORDER BY pos DESC ROWS BETWEEN 3 PRECEDING AND 1 FOLLOWING', 'o.pos BETWEEN r.pos - 1 AND r.pos + 3'),
	(11, 'ORDER BY key RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING', 'o.key BETWEEN r.key - 10 AND r.key + 5'),
	(12, 'ORDER BY key RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'o.key >= r.key'),
	(13, 'ORDER BY key DESC RANGE BETWEEN 3 PRECEDING AND 3 FOLLOWING', 'o.key BETWEEN r.key - 3 AND r.key + 3'),
	(14, 'ORDER BY key GROUPS BETWEEN 1 PRECEDING AND 2 FOLLOWING', 'o.grp BETWEEN r.grp - 1 AND r.grp + 2'),
	(15, 'ORDER BY key GROUPS CURRENT ROW', 'o.grp = r.grp'),
	(16, 'ORDER BY pos ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW',
		'o.pos BETWEEN r.pos - 3 AND r.pos + 3 AND o.pos <> r.pos'),
	(17, 'ORDER BY key RANGE BETWEEN 9 PRECEDING AND 9 FOLLOWING EXCLUDE GROUP',
		'o.key BETWEEN r.key - 9 AND r.key + 9 AND o.grp <> r.grp'),
	(18, 'ORDER BY key GROUPS BETWEEN 2 PRECEDING AND CURRENT ROW EXCLUDE TIES',
		'o.grp BETWEEN r.grp - 2 AND r.grp AND (o.grp <> r.grp OR o.pos = r.pos)'),
	(19, 'ORDER BY pos ROWS UNBOUNDED PRECEDING EXCLUDE NO OTHERS', 'o.pos <= r.pos'),
	(20, 'ORDER BY pos GROUPS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING EXCLUDE CURRENT ROW',
		'o.pos <> r.pos');

CREATE FUNCTION pg_temp.compare(frame text, sees text, OUT rows bigint, OUT agg boolean, OUT counts boolean, OUT parameters boolean,
	OUT filtered boolean, OUT unions boolean, OUT again boolean) AS $$
BEGIN
	EXECUTE format($sql$
		WITH seen AS (
			SELECT part, pos, hll_agg(v) OVER frame AS a, approx_count_distinct(v) OVER frame AS n,
				hll_count(hll_agg(v) OVER frame) AS m, hll_agg(v::text, 8, 5) OVER frame AS p,
				hll_agg(v) FILTER (WHERE v < 25) OVER frame AS f, hll_union(h) OVER frame AS u,
				hll_agg(v) OVER frame AS b, count(v) OVER frame AS c
			FROM w WINDOW frame AS (PARTITION BY part %s))
		SELECT count(*), bool_and(s.a = x.a), bool_and(s.n = x.n AND s.m = x.n AND s.c = x.c), bool_and(s.p = x.p),
			bool_and(s.f = x.f), bool_and(s.u IS NOT DISTINCT FROM x.u), bool_and(s.b = x.a)
		FROM seen s JOIN w r USING (part, pos), LATERAL (
			SELECT hll_agg(o.v) AS a, count(DISTINCT o.v) AS n, hll_agg(o.v::text, 8, 5) AS p,
				hll_agg(o.v) FILTER (WHERE o.v < 25) AS f, hll_union(o.h) AS u, count(o.v) AS c
			FROM w o WHERE o.part = r.part AND (%s)) x
		$sql$, frame, sees)
	INTO rows, agg, counts, parameters, filtered, unions, again;
END
$$ LANGUAGE plpgsql;
SELECT n, c.* FROM frames, pg_temp.compare(frame, sees) c ORDER BY n;

-- Frames of different kinds over one query, and a result used twice.
SELECT bool_and(a || b = c) AS halves, bool_and(n = hll_count(a)) AS same_frame, bool_and(a || a = a) AS twice
FROM (SELECT hll_agg(pos) OVER (ORDER BY pos) AS a,
		hll_agg(pos) OVER (ORDER BY pos ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) AS b,
		hll_agg(pos) OVER () AS c, approx_count_distinct(pos) OVER (ORDER BY pos) AS n
	FROM w WHERE part = 3) t;
-- An aggregate of the rows' sketches over a window, over groups: visitors of the last seven days.
CREATE TEMP TABLE visits AS
	SELECT d AS day, (d * 13 + i * i) % 1000 AS visitor FROM generate_series(1, 30) d, generate_series(1, 400) i;
CREATE TEMP TABLE daily AS SELECT day, hll_agg(visitor) AS h FROM visits GROUP BY day;
SELECT bool_and(hll_count(week) = exact) AS as_counted, count(*)
FROM (SELECT day, hll_union(h) OVER (ORDER BY day ROWS 6 PRECEDING) AS week FROM daily) s
JOIN LATERAL (SELECT count(DISTINCT visitor) AS exact FROM visits v WHERE v.day BETWEEN s.day - 6 AND s.day) e ON true;
SELECT bool_and(hll_count(upto) = exact) AS as_counted, count(*)
FROM (SELECT day, hll_union(hll_agg(visitor)) OVER (ORDER BY day) AS upto FROM visits GROUP BY day) s
JOIN LATERAL (SELECT count(DISTINCT visitor) AS exact FROM visits v WHERE v.day <= s.day) e ON true;
-- Over 200 stored days, of which some are small, some large and dense, some without a visitor, and some are missing.
CREATE TABLE stored_days (day int PRIMARY KEY, h hll);
INSERT INTO stored_days
	SELECT d, hll_agg(v, 10) FILTER (WHERE d % 9 > 0)
	FROM generate_series(1, 200) d, LATERAL generate_series(d * 40, d * 40 + CASE WHEN d % 5 < 3 THEN 30 ELSE 700 END) v WHERE d % 11 > 0 GROUP BY d;
UPDATE stored_days SET h = CASE WHEN day % 2 = 0 THEN hll_empty(10) END WHERE day % 17 = 0;
SELECT coalesce((hll_info(h)).representation, 'NULL') AS form, (hll_info(h)).precision, count(*) FROM stored_days GROUP BY 1, 2 ORDER BY 1, 2;
SELECT bool_and(week IS NOT DISTINCT FROM plain) AS same, bool_and(hll_count(week) = hll_count(plain)) AS counts,
	count(DISTINCT (hll_info(week)).representation) AS forms, count(*)
FROM (SELECT day, hll_union(h) OVER (ORDER BY day RANGE BETWEEN 6 PRECEDING AND CURRENT ROW) AS week FROM stored_days) s,
	LATERAL (SELECT hll_union(h) AS plain FROM stored_days o WHERE o.day BETWEEN s.day - 6 AND s.day) p;
SELECT bool_and(n = hll_count(plain)) AS counts, bool_and(b = hll_bounds(plain)) AS bounds, count(*)
FROM (SELECT day, pos, hll_count(hll_union(h) OVER w) AS n, hll_bounds(hll_union(h) OVER w) AS b
		FROM (SELECT *, row_number() OVER (ORDER BY day DESC) AS pos FROM stored_days) t WINDOW w AS (ORDER BY pos ROWS 6 PRECEDING)) s,
	LATERAL (SELECT hll_union(h) AS plain FROM (SELECT h FROM stored_days o WHERE o.day >= s.day ORDER BY o.day LIMIT 7) x) p;
DROP TABLE stored_days;

-- Frames in which states become dense, and start anew.
CREATE TEMP TABLE long AS SELECT i, i * 31 % 7001 AS v FROM generate_series(1, 6000) i;
SELECT bool_and(a = (SELECT hll_agg(v) FROM long o WHERE o.i <= s.i)) AS growing,
	bool_and(b = (SELECT hll_agg(v) FROM long o WHERE o.i BETWEEN s.i - 2999 AND s.i)) AS sliding,
	count(DISTINCT (hll_info(a)).representation) AS forms
FROM (SELECT i, hll_agg(v) OVER (ORDER BY i) AS a FROM long) s
JOIN (SELECT i, hll_agg(v) OVER (ORDER BY i ROWS 2999 PRECEDING) AS b FROM long WHERE i <= 3300) t USING (i)
WHERE i IN (1, 2047, 2048, 2049, 2050, 2999, 3000, 3001, 3300);
-- Rows are kept, moved and sorted after the window: each has its own state.
SELECT bool_and(a = (SELECT hll_agg(v) FROM long o WHERE o.i <= s.i)) AS own
FROM (SELECT * FROM (SELECT i, v, hll_agg(v) OVER (ORDER BY i) AS a FROM long WHERE i <= 2100) t WHERE i % 100 = 0 ORDER BY v) s;
SELECT bool_and(first = (SELECT hll_agg(v) FROM long WHERE i <= 1)) AS first_value, bool_and(lead = next) AS lead
FROM (SELECT i, first_value(a) OVER (ORDER BY i) AS first, lead(a) OVER (ORDER BY i) AS lead,
		(SELECT hll_agg(v) FROM long o WHERE o.i <= t.i + 1) AS next
	FROM (SELECT i, hll_agg(v) OVER (ORDER BY i) AS a FROM long WHERE i <= 60) t) s WHERE i < 60;
