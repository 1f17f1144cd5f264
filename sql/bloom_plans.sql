-- The same values give the same bytes, whatever the plan, the order and the route;
-- small filters, large blocks, and such as are built apart.

CREATE SCHEMA plans;
SET search_path = plans, public;
CREATE TABLE facts AS
	SELECT i, i % 6 AS g, i * 7919 % 2000 AS k, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 31 % 20011 END AS v FROM generate_series(1, 30000) i;
ALTER TABLE facts ADD COLUMN t text;
UPDATE facts SET t = 'value ' || v;
VACUUM ANALYZE facts;
\i test/sql/plans.sql

-- What all plans are compared with: one sub-query for each group, sorted, serial.
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE expected AS
	SELECT g, (SELECT bloom_agg(v, 20000, 0.01 ORDER BY i) FROM facts f WHERE f.g = d.g) AS h,
		(SELECT bloom_agg(t, 20000, 0.0005, 5 ORDER BY i DESC) FROM facts f WHERE f.g = d.g) AS ht,
		(SELECT bloom_agg(v, 500000, 0.01) FROM facts f WHERE f.g = d.g) AS hl
	FROM (SELECT DISTINCT g FROM facts) d;
CREATE TABLE expected_k AS SELECT k, bloom_agg(v, 20, 0.01) AS h, bloom_agg(t, 20, 0.001, 5) AS ht FROM facts GROUP BY k;
SELECT bool_and(abs(bloom_count(h) / n::float8 - 1) < 0.05 AND abs(bloom_count(ht) / n::float8 - 1) < 0.05 AND abs(bloom_count(hl) / n::float8 - 1) < 0.05) AS close, count(*)
FROM expected JOIN (SELECT g, count(DISTINCT v) AS n FROM facts GROUP BY g) c USING (g);

CREATE VIEW built AS
	SELECT g, bloom_agg(v, 20000, 0.01) AS h, bloom_agg(t, 20000, 0.0005, 5) AS ht, bloom_agg(v, 500000, 0.01) AS hl, bloom_agg(v, 20000, 0.01) FILTER (WHERE i % 7 = 0) AS part
	FROM facts GROUP BY g;
CREATE VIEW checked AS
	SELECT bool_and(b.h = e.h) AS v, bool_and(b.ht = e.ht) AS t, bool_and(b.hl = e.hl) AS large, bool_and(b.h || part = e.h AND part <> e.h) AS part, count(*)
	FROM built b JOIN expected e USING (g);
CREATE VIEW checked_k AS
	SELECT bool_and(b.h = e.h) AS v, bool_and(b.ht = e.ht) AS t, count(*)
	FROM (SELECT k, bloom_agg(v, 20, 0.01) AS h, bloom_agg(t, 20, 0.001, 5) AS ht FROM facts GROUP BY k) b JOIN expected_k e USING (k);
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
SELECT spills('SELECT k, bloom_agg(v, 20, 0.01), bloom_agg(t, 20, 0.001, 5) FROM facts GROUP BY k') AS spills, c.* FROM checked_k c;
SELECT spills('SELECT * FROM built') AS spills, c.* FROM checked c;
RESET work_mem;
RESET enable_sort;

-- Grouping sets, hashed and sorted.
CREATE TABLE small AS SELECT i % 3 AS a, i % 4 AS b, i AS v, bloom_add(bloom_empty(500000, 0.01), i) AS one FROM facts WHERE i <= 60;
ANALYZE small;
CREATE VIEW sets AS
	SELECT a, b, grouping(a, b) AS bits, bloom_agg(v, 60, 0.01) AS h, bloom_agg(v, 500000, 0.01) AS hl, bloom_union(one) AS u
	FROM small GROUP BY GROUPING SETS ((a, b), CUBE (a, b));
CREATE VIEW checked_sets AS
	SELECT count(*) AS sets, count(DISTINCT bits) AS kinds, bool_and(h = e) AS h, bool_and(hl = el) AS large, bool_and(u = el) AS union
	FROM sets s, LATERAL (
		SELECT bloom_agg(v, 60, 0.01) AS e, bloom_agg(v, 500000, 0.01) AS el FROM small r
		WHERE (bits & 2 > 0 OR r.a = s.a) AND (bits & 1 > 0 OR r.b = s.b)) e;
SET enable_sort = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, c.* FROM checked_sets c;
RESET enable_hashagg;

-- DISTINCT, ORDER BY and FILTER inside; one state for several results.
SELECT bool_and(a.h = e.h AND a.hl = e.hl) AS distinct, bool_and(a.o = e.h AND a.ol = e.hl) AS ordered, bool_and(low || high = e.h) AS filtered,
	bool_and(none = '\x211000') AS none, bool_and(n = bloom_count(e.hl) AND u = e.hl) AS shared
FROM (SELECT g, bloom_agg(DISTINCT v, 20000, 0.01) AS h, bloom_agg(DISTINCT v, 500000, 0.01) AS hl, bloom_agg(v, 20000, 0.01 ORDER BY t DESC, i) AS o,
		bloom_agg(v, 500000, 0.01 ORDER BY sketch_hash(v)) AS ol, bloom_agg(v, 20000, 0.01) FILTER (WHERE v < 9000) AS low,
		bloom_agg(v, 20000, 0.01) FILTER (WHERE NOT v < 9000) AS high, bloom_agg(v, 20000, 0.01) FILTER (WHERE v < 0) AS none,
		bloom_count(bloom_agg(v, 500000, 0.01)) AS n, bloom_agg(v, 500000, 0.01) || bloom_agg(v, 500000, 0.01) AS u
	FROM facts GROUP BY g) a JOIN expected e USING (g);
SELECT bloom_union(DISTINCT f) = bloom_agg(v, 500000, 0.01) AS union_distinct, bloom_union(f ORDER BY v DESC) = bloom_agg(v, 500000, 0.01) AS union_ordered,
	bloom_union(f) FILTER (WHERE v <= 5) = bloom_agg(v, 500000, 0.01) FILTER (WHERE v <= 5) AS union_filtered
FROM (SELECT v, bloom_add(bloom_empty(500000, 0.01), v) AS f FROM generate_series(1, 20) v) t;

-- Parallel, with and without the leader's part.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.uses('Partial (Hash|Group)?Aggregate', 'SELECT * FROM built') AS parallel, c.* FROM checked c;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT bloom_agg(v, 500000, 0.01) FROM facts') AS parallel, bloom_agg(v, 500000, 0.01) = (SELECT bloom_union(hl) FROM expected) AS large,
	bloom_agg(v, 20000, 0.01) = (SELECT bloom_union(h) FROM expected) AS small, bloom_agg(t, 20000, 0.0005, 5) = (SELECT bloom_union(ht) FROM expected) AS texts FROM facts;
SET parallel_leader_participation = off;
SELECT * FROM checked;
SELECT * FROM checked_k;
SET enable_hashagg = off;
SELECT * FROM checked;
RESET enable_hashagg;
-- Workers that see no row, or only NULL; unions of what is stored.
SELECT bloom_agg(v, 10, 0.01) AS no_rows FROM facts WHERE i + 0 < 0;
SELECT bloom_agg(v, 10, 0.01, 5) AS nulls FROM facts WHERE v IS NULL;
SELECT bloom_agg(CASE WHEN i = 5 THEN v END, 500000, 0.01) = bloom_add(bloom_empty(500000, 0.01), (SELECT v FROM facts WHERE i = 5)) AS one FROM facts;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT bloom_union(h) FROM expected_k') AS parallel, bloom_union(h) = (SELECT bloom_agg(v, 20, 0.01) FROM facts WHERE k < 3) AS union
FROM expected_k WHERE k < 3;
SELECT bloom_union(hl) = (SELECT bloom_agg(v, 500000, 0.01) FROM facts) AS union, bloom_union(hl) FILTER (WHERE g < 0) IS NULL AS none FROM expected;
RESET ALL;
SET search_path = plans, public;

-- By bloom_add alone, one by one, backwards; by unions of parts that overlap.
CREATE FUNCTION one_by_one(n int, capacity bigint, rate float8, seed bigint) RETURNS bloom AS $$
DECLARE
	f bloom := bloom_empty(capacity, rate, seed);
BEGIN
	FOR v IN REVERSE n..1 LOOP
		f := bloom_add(bloom_add(f, v), n + 1 - v);
	END LOOP;
	RETURN f;
END
$$ LANGUAGE plpgsql;
SELECT c, r, s, one_by_one(200, c, r, s) = f AS added, thirds = f AS thirds, low || high = f AND high || low = f AND f || low = f AS overlapping
FROM (VALUES (200, 0.01, 0), (1000, 0.0001, -7), (500000, 0.01, 9223372036854775807), (400000, 0.00001, 0)) t(c, r, s), LATERAL (
	SELECT bloom_agg(v, c, r, s) AS f, bloom_agg(v, c, r, s) FILTER (WHERE v < 120) AS low, bloom_agg(v, c, r, s) FILTER (WHERE v > 80) AS high,
		bloom_agg(v, c, r, s) FILTER (WHERE v % 3 = 0) || bloom_agg(v, c, r, s) FILTER (WHERE v % 3 = 1) || bloom_agg(v, c, r, s) FILTER (WHERE v % 3 = 2) AS thirds
	FROM generate_series(1, 200) v) b
ORDER BY c;
-- Built apart, values wait by sixteens: of every number of them, none is lost.
SELECT bool_and((SELECT bool_and(bloom_contains(f, v)) FROM generate_series(1, n) v)) AS all_there, bool_and(f = one_by_one(n, 500000, 0.01, 0)) AS as_added,
	count(DISTINCT f) AS filters
FROM (SELECT n, bloom_agg(v, 500000, 0.01) AS f FROM generate_series(14, 35) n, generate_series(1, n) v GROUP BY n OFFSET 0) t;
-- Windows: each row's frame, against a sub-query for the row.
CREATE TABLE w AS SELECT pos, pos * pos / 40 AS key, CASE WHEN pos % 7 = 3 THEN NULL ELSE pos * 37 % 50 END AS v,
	CASE WHEN pos % 5 <> 2 THEN (SELECT bloom_agg(pos * 10 + x, 500000, 0.01) FROM generate_series(1, pos % 4) x) END AS f
	FROM generate_series(1, 40) pos;
CREATE FUNCTION in_frame(frame text, sees text, OUT rows bigint, OUT small boolean, OUT large boolean, OUT unions boolean) AS $$
BEGIN
	EXECUTE format($sql$
		SELECT count(*), bool_and(s.a = x.a), bool_and(s.l = x.l), bool_and(s.u IS NOT DISTINCT FROM x.u)
		FROM (SELECT pos, bloom_agg(v, 50, 0.01) OVER frame AS a, bloom_agg(v, 500000, 0.01) OVER frame AS l, bloom_union(f) OVER frame AS u
			FROM w WINDOW frame AS (%s)) s
		JOIN w r USING (pos), LATERAL (SELECT bloom_agg(o.v, 50, 0.01) AS a, bloom_agg(o.v, 500000, 0.01) AS l, bloom_union(o.f) AS u FROM w o WHERE %s) x
		$sql$, frame, sees)
	INTO rows, small, large, unions;
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
