-- The aggregates in every kind of plan: whatever the plan, the same bytes.

CREATE SCHEMA aggregates;
SET search_path = aggregates, public;
-- 60,000 rows: 12 groups of g, some dense and some sparse; 3,000 of k; values
-- with repeats and NULLs.
CREATE TABLE facts AS
	SELECT i, i % 12 AS g, i * 7919 % 3000 AS k,
		CASE WHEN i % 11 = 0 THEN NULL ELSE (i * 31 % 50021) / (1 + (i % 12) ^ 2)::int END AS v
	FROM generate_series(1, 60000) i;
ALTER TABLE facts ADD COLUMN t text;
UPDATE facts SET t = 'value ' || v;
VACUUM ANALYZE facts;
\i test/sql/plans.sql

-- What all plans are compared with: one sub-query for each group, sorted, serial.
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE expected AS
	SELECT g, (SELECT hll_agg(v ORDER BY i) FROM facts f WHERE f.g = d.g) AS h,
		(SELECT hll_agg(t, 12, 5) FROM facts f WHERE f.g = d.g) AS ht
	FROM (SELECT DISTINCT g FROM facts) d;
CREATE TABLE expected_k AS SELECT k, hll_agg(v) AS h, approx_count_distinct(t) AS n FROM facts GROUP BY k;
SELECT count(*), count(*) FILTER (WHERE (hll_info(h)).representation = 'dense') AS dense,
	bool_and(abs(hll_count(h) / n::float8 - 1) < 0.03) AS close
FROM expected JOIN (SELECT g, count(DISTINCT v) AS n FROM facts GROUP BY g) c USING (g);

-- Sorted and hashed.
SELECT pg_temp.uses('GroupAggregate', 'SELECT hll_agg(v) FROM facts GROUP BY g') AS sorted;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, count(*)
FROM (SELECT g, hll_agg(v) AS h, hll_agg(t, 12, 5) AS ht FROM facts GROUP BY g) a JOIN expected e USING (g);
RESET enable_hashagg;
SET enable_sort = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT hll_agg(v) FROM facts GROUP BY g') AS hashed;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, count(*)
FROM (SELECT g, hll_agg(v) AS h, hll_agg(t, 12, 5) AS ht FROM facts GROUP BY g) a JOIN expected e USING (g);

-- Hashed into more groups than work_mem holds: it spills.
SET work_mem = '64kB';
CREATE FUNCTION spills(command text) RETURNS boolean AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, FORMAT json) ' || command INTO plan;
	RETURN plan::text ~ '"HashAgg Batches": *[1-9][0-9]*' AND plan::text ~ '"Disk Usage": *[1-9]';
END
$$ LANGUAGE plpgsql;
SELECT spills('SELECT k, hll_agg(v), approx_count_distinct(t) FROM facts GROUP BY k') AS spills,
	spills('SELECT g, hll_agg(v) FROM facts GROUP BY g') AS dense_too;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.n = e.n) AS t, count(*)
FROM (SELECT k, hll_agg(v) AS h, approx_count_distinct(t) AS n FROM facts GROUP BY k) a JOIN expected_k e USING (k);
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, count(*)
FROM (SELECT g, hll_agg(v) AS h, hll_agg(t, 12, 5) AS ht FROM facts GROUP BY g) a JOIN expected e USING (g);
SELECT hll_union(h) = (SELECT hll_agg(v) FROM facts) AS united
FROM (SELECT k % 700 AS k, hll_union(h) AS h FROM expected_k GROUP BY k % 700) t;
RESET work_mem;
RESET enable_sort;

-- Grouping sets, rollup and cube, hashed, sorted and mixed.
CREATE TABLE small AS SELECT i % 3 AS a, i % 4 AS b, i % 5 AS c, i AS v FROM facts WHERE i <= 3000;
ANALYZE small;
CREATE VIEW sets AS
	SELECT a, b, c, grouping(a, b, c) AS bits, hll_agg(v) AS h, approx_count_distinct(v % 100) AS n, hll_union(one) AS u
	FROM (SELECT *, hll_add(hll_empty(), v) AS one FROM small) s
	GROUP BY GROUPING SETS ((a, b), CUBE (b, c), ROLLUP (c, a));
CREATE VIEW checked_sets AS
	SELECT count(*) AS sets, count(DISTINCT bits) AS kinds, bool_and(h = e) AS h, bool_and(n = m) AS n, bool_and(u = e) AS u
	FROM sets s, LATERAL (
		SELECT hll_agg(v) AS e, count(DISTINCT v % 100) AS m FROM small r
		WHERE (bits & 4 > 0 OR r.a = s.a) AND (bits & 2 > 0 OR r.b = s.b) AND (bits & 1 > 0 OR r.c = s.c)) e;
SET enable_sort = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed;
SELECT * FROM checked_sets;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.uses('(Hash|Mixed)Aggregate', 'SELECT * FROM sets') AS hashed, pg_temp.uses('GroupAggregate', 'SELECT * FROM sets') AS sorted;
SELECT * FROM checked_sets;
RESET enable_hashagg;
SET work_mem = '64kB';
SELECT * FROM checked_sets;
RESET work_mem;

-- DISTINCT, ORDER BY and FILTER inside the aggregate.
SELECT bool_and(a.h = e.h) AS distinct, bool_and(a.o = e.h) AS ordered, bool_and(a.n = hll_count(e.h)) AS counted,
	bool_and(a.p = e.h) AS with_precision, bool_and(low || high = e.h) AS filtered, bool_and(none = hll_empty()) AS none
FROM (SELECT g, hll_agg(DISTINCT v) AS h, hll_agg(v ORDER BY t DESC, i) AS o, approx_count_distinct(DISTINCT v) AS n,
		hll_agg(DISTINCT v, 14 ORDER BY v DESC) AS p, hll_agg(v) FILTER (WHERE v < 1000) AS low,
		hll_agg(v) FILTER (WHERE NOT v < 1000) AS high, hll_agg(v) FILTER (WHERE v < 0) AS none
	FROM facts GROUP BY g) a JOIN expected e USING (g);
SELECT hll_union(DISTINCT h) = hll_agg(v) AS union_distinct, hll_union(h ORDER BY v DESC) = hll_agg(v) AS union_ordered,
	hll_union(h) FILTER (WHERE v <= 50) = hll_agg(v) FILTER (WHERE v <= 50) AS union_filtered
FROM (SELECT v, hll_add(hll_empty(), v) AS h FROM generate_series(1, 100) v) t;

-- One state for several results, and results that are used in other expressions.
SELECT bool_and(a.h = e.h AND h2 = e.h) AS same, bool_and(a.n = hll_count(e.h) AND a.m = a.n AND a.o = a.n) AS counts,
	bool_and(u = e.h) AS unions
FROM (SELECT g, hll_agg(v) AS h, approx_count_distinct(v) AS n, hll_count(hll_agg(v)) AS m, # hll_agg(v) AS o,
		hll_agg(v) AS h2, hll_agg(v) || hll_agg(v) AS u
	FROM facts GROUP BY g HAVING hll_count(hll_agg(v)) > 0) a JOIN expected e USING (g);
SELECT hll_agg(v) = hll_agg(v, 14) AS shared, hll_reduce(hll_agg(v), 12) = hll_agg(v, 12) AS reduced,
	hll_count(hll_agg(v) || hll_agg(-v)) > 1.9 * hll_count(hll_agg(v)) AS united,
	hll_agg(v) = (SELECT hll_union(h) FROM expected) AS all
FROM facts;

-- Parallel, with and without the leader's part: equal to serial in every byte.
SET max_parallel_workers_per_gather = 2;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
CREATE VIEW in_parallel AS
	SELECT g, hll_agg(v) AS h, hll_agg(t, 12, 5) AS ht, approx_count_distinct(v) AS n,
		hll_agg(v) FILTER (WHERE i % 7 = 0) AS part
	FROM facts GROUP BY g;
SELECT pg_temp.uses('Partial (Hash|Group)?Aggregate', 'SELECT * FROM in_parallel') AS parallel,
	pg_temp.uses('Partial Aggregate', 'SELECT hll_agg(v) FROM facts') AS without_groups;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, bool_and(a.n = hll_count(e.h)) AS count,
	bool_and(a.h || part = e.h) AS part, count(*)
FROM in_parallel a JOIN expected e USING (g);
SELECT hll_agg(v) = (SELECT hll_union(h) FROM expected) AS all, hll_agg(t, 12, 5) = (SELECT hll_union(ht) FROM expected) AS texts
FROM facts;
SET parallel_leader_participation = off;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, bool_and(a.n = hll_count(e.h)) AS count,
	bool_and(a.h || part = e.h) AS part, count(*)
FROM in_parallel a JOIN expected e USING (g);
SELECT hll_agg(v) = (SELECT hll_union(h) FROM expected) AS all, hll_agg(t, 12, 5) = (SELECT hll_union(ht) FROM expected) AS texts
FROM facts;
-- Sorted below a Gather Merge, and spilling.
SET enable_hashagg = off;
SELECT bool_and(a.h = e.h) AS v, bool_and(a.ht = e.ht) AS t, count(*) FROM in_parallel a JOIN expected e USING (g);
RESET enable_hashagg;
SET work_mem = '64kB';
SELECT bool_and(a.h = e.h) AS v, count(*)
FROM (SELECT k, hll_agg(v) AS h FROM facts GROUP BY k) a JOIN expected_k e USING (k);
RESET work_mem;
-- Workers that see no row, or only NULL, or too few rows for all of them.
SELECT pg_temp.uses('Partial Aggregate', 'SELECT hll_agg(v) FROM facts WHERE i + 0 = 5') AS parallel;
SELECT hll_agg(v) = hll_empty() AS agg, approx_count_distinct(v) AS count FROM facts WHERE i + 0 < 0;
SELECT hll_agg(v, 12, 5) = hll_empty() AS agg, approx_count_distinct(v) AS count FROM facts WHERE v IS NULL;
SELECT hll_agg(v, 12) = hll_add(hll_empty(12), (SELECT v FROM facts WHERE i = 5)) AS one_row FROM facts WHERE i + 0 = 5;
SELECT hll_agg(CASE WHEN i = 5 THEN v END, 12, 5) = hll_add(hll_empty(12, 5), (SELECT v FROM facts WHERE i = 5)) AS one_value
FROM facts;
-- Unions of stored sketches, and none.
SELECT pg_temp.uses('Partial Aggregate', 'SELECT hll_union(h) FROM expected') AS parallel;
SELECT hll_union(h) = (SELECT hll_agg(v) FROM facts) AS union, hll_union(h) FILTER (WHERE g < 0) IS NULL AS none,
	hll_union(ht) FILTER (WHERE g = 3) = (SELECT ht FROM expected WHERE g = 3) AS one
FROM expected;
-- What is wrong in a worker is wrong for all.
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('SELECT hll_agg(v, 99) FROM facts') AS worker,
	error_of('SELECT hll_union(hll_reduce(h, 10 + g % 2)) FROM expected') ~ '^22023 hll of precision 1[01] does not go with' AS combining;
RESET ALL;
SET search_path = aggregates, public;

-- A table partitioned by group, aggregated partition by partition.
CREATE TABLE parted (g int, v int) PARTITION BY LIST (g);
CREATE TABLE parted_0 PARTITION OF parted FOR VALUES IN (0, 1, 2);
CREATE TABLE parted_1 PARTITION OF parted DEFAULT;
INSERT INTO parted SELECT g, v FROM facts;
ANALYZE parted;
SET enable_partitionwise_aggregate = on;
SELECT pg_temp.uses('Append', 'SELECT g, hll_agg(v) FROM parted GROUP BY g') AS append;
SELECT bool_and(a.h = e.h) AS v, count(*) FROM (SELECT g, hll_agg(v) AS h FROM parted GROUP BY g) a JOIN expected e USING (g);
SELECT hll_agg(v) = (SELECT hll_union(h) FROM expected) AS all FROM parted;
RESET enable_partitionwise_aggregate;

SET client_min_messages = warning;
DROP SCHEMA aggregates CASCADE;
