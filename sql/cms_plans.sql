-- The same values and weights give the same bytes, whatever the plan, the order and
-- the route: of sparse sketches, dense ones, and totals past 32 bits.

CREATE SCHEMA plans;
SET search_path = plans, public;
CREATE TABLE facts AS
	SELECT i, i % 6 AS g, i * 7919 % 2000 AS k, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 31 % 20011 % (1 + i % 3000) END AS v,
		CASE WHEN i % 13 > 0 THEN i % 17 * 1000000::bigint END AS w
	FROM generate_series(1, 30000) i;
ALTER TABLE facts ADD COLUMN t text;
UPDATE facts SET t = 'value ' || v;
VACUUM ANALYZE facts;
\i test/sql/plans.sql

-- What all plans are compared with: one sub-query for each group, sorted, serial.
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE expected AS
	SELECT g, (SELECT cms_agg(v ORDER BY i) FROM facts f WHERE f.g = d.g) AS h,
		(SELECT cms_agg(t, w, 0.01, 0.001, 5 ORDER BY i DESC) FROM facts f WHERE f.g = d.g) AS ht,
		(SELECT cms_agg(v, w) FROM facts f WHERE f.g = d.g) AS hw
	FROM (SELECT DISTINCT g FROM facts) d;
CREATE TABLE expected_k AS SELECT k, cms_agg(v) AS h, cms_agg(t, w, 0.01, 0.001, 5) AS ht FROM facts GROUP BY k;
SELECT count(*), bool_and(cms_total(h) = n AND cms_total(ht) = s AND cms_total(hw) = s) AS totals, min(s) > 4294967296 AS past_32_bits,
	bool_and(get_byte(h::bytea, 1) % 8 = 1) AS packed, (SELECT bool_and(get_byte(h::bytea, 1) % 8 = 0) FROM expected_k) AS sparse
FROM expected JOIN (SELECT g, count(v) AS n, sum(w) FILTER (WHERE v IS NOT NULL) AS s FROM facts GROUP BY g) c USING (g);

CREATE VIEW built AS
	SELECT g, cms_agg(v) AS h, cms_agg(t, w, 0.01, 0.001, 5) AS ht, cms_agg(v, w) AS hw, cms_agg(v) FILTER (WHERE i % 7 = 0) AS part, cms_agg(v) FILTER (WHERE i % 7 <> 0) AS rest
	FROM facts GROUP BY g;
CREATE VIEW checked AS
	SELECT bool_and(b.h = e.h) AS v, bool_and(b.ht = e.ht) AS t, bool_and(b.hw = e.hw) AS w, bool_and(part || rest = e.h AND part <> e.h) AS part, count(*)
	FROM built b JOIN expected e USING (g);
CREATE VIEW checked_k AS
	SELECT bool_and(b.h = e.h) AS v, bool_and(b.ht = e.ht) AS t, count(*)
	FROM (SELECT k, cms_agg(v) AS h, cms_agg(t, w, 0.01, 0.001, 5) AS ht FROM facts GROUP BY k) b JOIN expected_k e USING (k);
-- Sorted, hashed, and hashed into more groups than work_mem holds.
SELECT pg_temp.uses('GroupAggregate', 'SELECT * FROM built') AS sorted, c.* FROM checked c;
RESET enable_hashagg;
SET enable_sort = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT * FROM built') AS hashed, c.* FROM checked c;
SET work_mem = '64kB';
CREATE FUNCTION spills(command text) RETURNS boolean AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT json) ' || command INTO plan;
	RETURN plan::text ~ '"HashAgg Batches": *[1-9][0-9]*' AND plan::text ~ '"Disk Usage": *[1-9]';
END
$$ LANGUAGE plpgsql;
SELECT spills('SELECT k, cms_agg(v), cms_agg(t, w, 0.01, 0.001, 5) FROM facts GROUP BY k') AS spills, c.* FROM checked_k c;
SELECT spills('SELECT * FROM built') AS spills, c.* FROM checked c;
SELECT spills('SELECT k % 700, cms_union(h) FROM expected_k GROUP BY k % 700') AS spills,
	cms_union(h) = (SELECT cms_agg(v) FROM facts) AS united FROM (SELECT cms_union(h) AS h FROM expected_k GROUP BY k % 700) t;
RESET work_mem;
RESET enable_sort;

-- Grouping sets, hashed and sorted.
CREATE TABLE small AS SELECT i % 3 AS a, i % 4 AS b, i % 50 AS v, i % 7 AS w, cms_add(cms_empty(0.01, 0.1), i % 50, i % 7) AS one FROM facts WHERE i <= 600;
ANALYZE small;
CREATE VIEW sets AS
	SELECT a, b, grouping(a, b) AS bits, cms_agg(v) AS h, cms_agg(v, w, 0.01, 0.1) AS hw, cms_union(one) AS u
	FROM small GROUP BY GROUPING SETS ((a, b), CUBE (a, b));
CREATE VIEW checked_sets AS
	SELECT count(*) AS sets, count(DISTINCT bits) AS kinds, bool_and(h = e) AS h, bool_and(hw = ew) AS weighted, bool_and(u = ew) AS union
	FROM sets s, LATERAL (
		SELECT cms_agg(v) AS e, cms_agg(v, w, 0.01, 0.1) AS ew FROM small r
		WHERE (bits & 2 > 0 OR r.a = s.a) AND (bits & 1 > 0 OR r.b = s.b)) e;
SET enable_sort = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_hashagg;

-- DISTINCT, ORDER BY and FILTER inside; one state for several results.
SELECT bool_and(a.d = e.d) AS distinct, bool_and(a.dw = (SELECT cms_agg(v, w) FROM (SELECT DISTINCT v, w FROM facts f WHERE f.g = a.g) f)) AS distinct_pairs,
	bool_and(a.o = x.h AND a.ow = x.hw) AS ordered, bool_and(low || high = x.h) AS filtered, bool_and(none = '\x511000') AS none,
	bool_and(n = cms_total(x.h) AND c = cms_count(x.h, 5) AND u = x.h || x.h) AS shared
FROM (SELECT g, cms_agg(DISTINCT v) AS d, cms_agg(DISTINCT v, w) AS dw, cms_agg(v ORDER BY t DESC, i) AS o, cms_agg(v, w ORDER BY sketch_hash(v)) AS ow,
		cms_agg(v) FILTER (WHERE v < 900) AS low, cms_agg(v) FILTER (WHERE NOT v < 900) AS high, cms_agg(v) FILTER (WHERE v < 0) AS none,
		cms_total(cms_agg(v)) AS n, cms_count(cms_agg(v), 5) AS c, cms_agg(v) || cms_agg(v) AS u
	FROM facts GROUP BY g) a JOIN expected x USING (g), LATERAL (SELECT cms_agg(v) AS d FROM (SELECT DISTINCT v FROM facts f WHERE f.g = a.g) f) e;
SELECT cms_union(DISTINCT c) = cms_agg(v) AS union_distinct, cms_union(c ORDER BY v DESC) = cms_agg(v) AS union_ordered,
	cms_union(c) FILTER (WHERE v <= 5) = cms_agg(v) FILTER (WHERE v <= 5) AS union_filtered
FROM (SELECT v, cms_add(cms_empty(), v) AS c FROM generate_series(1, 20) v) t;

-- Parallel, with and without the leader's part.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.uses('Partial (Hash|Group)?Aggregate', 'SELECT * FROM built') AS parallel, c.* FROM checked c;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT cms_agg(v) FROM facts') AS parallel, cms_agg(v) = (SELECT cms_union(h) FROM expected) AS all,
	cms_agg(v, w) = (SELECT cms_union(hw) FROM expected) AS weighted, cms_agg(t, w, 0.01, 0.001, 5) = (SELECT cms_union(ht) FROM expected) AS texts FROM facts;
SET parallel_leader_participation = off;
SELECT * FROM checked;
SELECT * FROM checked_k;
SET enable_hashagg = off;
SELECT * FROM checked;
RESET enable_hashagg;
-- Workers that see no row, or only NULL; unions of what is stored.
SELECT cms_agg(v, 0.1, 0.1) AS no_rows FROM facts WHERE i + 0 < 0;
SELECT cms_agg(v, w, 0.1, 0.1) AS nulls FROM facts WHERE v IS NULL OR w IS NULL;
SELECT cms_agg(CASE WHEN i = 5 THEN v END, 0.1, 0.1) = cms_add(cms_empty(0.1, 0.1), (SELECT v FROM facts WHERE i = 5)) AS one FROM facts;
SELECT cms_agg(v, CASE i WHEN 5 THEN 7 ELSE 0 END, 0.1, 0.1) = cms_add(cms_empty(0.1, 0.1), (SELECT v FROM facts WHERE i = 5), 7) AS one_of_weight FROM facts;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT cms_union(h) FROM expected_k') AS parallel, cms_union(h) = (SELECT cms_agg(v) FROM facts WHERE k < 300) AS union
FROM expected_k WHERE k < 300;
SELECT cms_union(hw) = (SELECT cms_agg(v, w) FROM facts) AS union, cms_union(hw) FILTER (WHERE g < 0) IS NULL AS none FROM expected;
-- What is wrong in a worker, or only where they come together, is wrong for all.
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('SELECT cms_agg(v, -w) FROM facts WHERE w > 0') ~ '^22023 weight -[0-9]+ is negative$' AS worker,
	error_of('SELECT cms_agg(v, 1000000000000000) FROM facts') AS total, error_of('SELECT cms_agg(v, 0.1 + 0.1 * (i / 29000), 0.1) FROM facts') AS combining;
RESET ALL;
SET search_path = plans, public;

-- By cms_add alone, one by one, backwards; by unions of parts.
CREATE FUNCTION one_by_one(n int, epsilon float8, delta float8, seed bigint, factor bigint) RETURNS cms AS $$
DECLARE
	c cms := cms_empty(epsilon, delta, seed);
BEGIN
	FOR v IN REVERSE n..1 LOOP
		c := cms_add(cms_add(cms_add(c, v, v * factor / 2), v, 0), v, v * factor - v * factor / 2);
	END LOOP;
	RETURN c;
END
$$ LANGUAGE plpgsql;
SELECT e, d, s, f, one_by_one(500, e, d, s, f) = c AS added, thirds = c AS thirds, low || high = c AND high || low = c AS halves, c = steps AS in_steps
FROM (VALUES (0.5, 0.5, 0, 1), (0.1, 0.1, -7, 3), (0.001, 0.01, 0, 1000), (0.001, 0.01, 5, 1000000000000), (0.00001, 0.01, 9223372036854775807, 7)) t(e, d, s, f), LATERAL (
	SELECT cms_agg(v, v * f, e, d, s) AS c, cms_agg(v, v * f, e, d, s) FILTER (WHERE v < 3) AS low, cms_agg(v, v * f, e, d, s) FILTER (WHERE v >= 3) AS high,
		cms_agg(v, v * f, e, d, s) FILTER (WHERE v % 3 = 0) || cms_agg(v, v * f, e, d, s) FILTER (WHERE v % 3 = 1) || cms_agg(v, v * f, e, d, s) FILTER (WHERE v % 3 = 2) AS thirds
	FROM generate_series(1, 500) v) b, LATERAL (SELECT cms_agg(v, f, e, d, s) AS steps FROM generate_series(1, 500) v, generate_series(1, v)) x
ORDER BY e DESC, s;
-- Around every boundary: a list that fills, a list that gets dense, sparse that gets
-- packed, 32 bits that become 64. Each one step on is what building anew gives.
CREATE FUNCTION boundaries(epsilon float8, delta float8, n int, weight bigint) RETURNS TABLE(as_built boolean, forms bigint, added boolean, united boolean) AS $$
	SELECT bool_and(c::bytea::cms = c), count(DISTINCT get_byte(c::bytea, 1) % 8), bool_and(lag IS NULL OR cms_add(lag, i, weight) = c), bool_and(lag IS NULL OR lag || cms_add(cms_empty(epsilon, delta), i, weight) = c)
	FROM (SELECT i, c, lag(c) OVER (ORDER BY i) AS lag
		FROM generate_series(1, n) i, LATERAL (SELECT cms_agg(v, weight, epsilon, delta) AS c FROM generate_series(1, i) v) l) t
$$ LANGUAGE sql;
SELECT e, d, w, b.* FROM (VALUES (0.5, 0.5, 40, 1), (0.05, 0.1, 60, 1), (0.01, 0.01, 120, 1), (0.01, 0.01, 60, 100000000), (0.9, 0.9, 30, 300000000000000000)) t(e, d, n, w), boundaries(e, d, n, w) b ORDER BY e, w;

-- The aggregate over each row's frame, against a sub-query for the row.
CREATE TABLE w AS SELECT pos, pos * pos / 40 AS key, CASE WHEN pos % 7 = 3 THEN NULL ELSE pos * 37 % 50 END AS v, CASE WHEN pos % 5 <> 2 THEN pos * 100000000::bigint END AS weight
	FROM generate_series(1, 40) pos;
CREATE FUNCTION in_frame(frame text, sees text, OUT rows bigint, OUT agg boolean, OUT narrow boolean, OUT counts boolean) AS $$
BEGIN
	EXECUTE format($sql$
		SELECT count(*), bool_and(s.a = x.a), bool_and(s.l = x.l), bool_and(s.n = x.n)
		FROM (SELECT pos, cms_agg(v, weight) OVER frame AS a, cms_agg(v, weight, 0.5, 0.3) OVER frame AS l, cms_count(cms_agg(v) OVER frame, 37) AS n
			FROM w WINDOW frame AS (%s)) s
		JOIN w r USING (pos), LATERAL (SELECT cms_agg(o.v, o.weight) AS a, cms_agg(o.v, o.weight, 0.5, 0.3) AS l, count(*) FILTER (WHERE o.v = 37) AS n FROM w o WHERE %s) x
		$sql$, frame, sees)
	INTO rows, agg, narrow, counts;
END
$$ LANGUAGE plpgsql;
SELECT frame, i.* FROM (VALUES
	(1, 'ORDER BY pos', 'o.pos <= r.pos'),
	(2, '', 'true'),
	(3, 'ORDER BY pos ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING', 'o.pos >= r.pos'),
	(4, 'ORDER BY pos ROWS BETWEEN 6 PRECEDING AND 2 PRECEDING', 'o.pos BETWEEN r.pos - 6 AND r.pos - 2'),
	(5, 'ORDER BY key RANGE BETWEEN 10 PRECEDING AND 5 FOLLOWING', 'o.key BETWEEN r.key - 10 AND r.key + 5'),
	(6, 'ORDER BY pos ROWS BETWEEN 3 PRECEDING AND 3 FOLLOWING EXCLUDE CURRENT ROW', 'o.pos BETWEEN r.pos - 3 AND r.pos + 3 AND o.pos <> r.pos'),
	(7, 'PARTITION BY pos % 3 ORDER BY pos', 'o.pos % 3 = r.pos % 3 AND o.pos <= r.pos')) t(n, frame, sees), in_frame(frame, sees) i
ORDER BY n;

SET client_min_messages = warning;
DROP SCHEMA plans CASCADE;
