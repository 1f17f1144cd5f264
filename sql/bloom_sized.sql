-- bloom_agg(value) and bloom_agg(value, false_positive_rate): filters that size
-- themselves for the distinct values that they saw.

CREATE SCHEMA sized;
SET search_path = sized, public;
\i test/sql/fails.sql
\i test/sql/plans.sql

-- As many bits as the filter that is told their number, and the same ones.
SELECT n, r AS rate, i.capacity = n AS capacity, i.target_rate = r AS target, i.bits = s.bits AS bits, i.hashes = s.hashes AS hashes, i.layers,
	i.scalable, i.saturated, i.bytes - s.bytes AS more_bytes, i.expected_rate <= 1.05 * r AS rate_is_kept, abs(i.items - n) <= 0.05 * n + 1 AS items, i.value_type, i.seed
FROM (VALUES (1, 0.01::float8), (10, 0.01), (1000, 0.3), (1000, 0.0001), (100000, 0.01)) t(n, r),
	LATERAL (SELECT bloom_agg(v, r) AS f FROM generate_series(1, n) v) a, LATERAL bloom_info(f) i, LATERAL bloom_sizing(n, r) s ORDER BY n, r;
CREATE TABLE pairs AS SELECT n, bloom_agg(v) AS f, bloom_agg(v, n, 0.01) AS g FROM (VALUES (1), (77), (5000), (60000)) t(n), generate_series(1, n) v GROUP BY n;
SELECT n, right(f::text, length(g::text) - 42) = right(g::text, length(g::text) - 42) AS blocks FROM pairs ORDER BY n;
SELECT n, bool_and(bloom_contains(f, v)) AS nothing_denied, count(*) FILTER (WHERE bloom_contains(f, -v)) <= 10 + n / 50 AS few_others
FROM pairs, generate_series(1, n) v GROUP BY n ORDER BY n;
SELECT bloom_agg(v) = bloom_agg(v, 0.01) AS default_rate, bloom_agg(v) = bloom_agg(v) FILTER (WHERE c = 1) AS duplicates, bloom_agg(v) <> bloom_agg(v, 0.011) AS other_rate
FROM generate_series(1, 500) v, generate_series(1, 3) c;
SELECT bloom_agg(v) = bloom_agg(v ORDER BY v DESC) AS backwards, bloom_agg(v) = bloom_agg(DISTINCT v) AS distinct, bloom_agg(v) FILTER (WHERE v <= 40) = (SELECT bloom_agg(v) FROM generate_series(1, 40) v) AS filtered
FROM generate_series(1, 3000) v;

-- NULL is no value, and without a value there are no parameters.
SELECT bloom_agg(v) = '\x211000' AS nothing, bloom_agg(v, 0.001) = '\x211000' AS rate, bloom_agg(NULL::int) = '\x211000' AS nulls,
	bloom_agg(v) || bloom_agg(1) = bloom_agg(1) AS unites, bloom_count(bloom_agg(v)) AS count
FROM generate_series(1, 0) v;
SELECT bloom_agg(v) = bloom_agg(v) FILTER (WHERE v IS NOT NULL) AS skipped, bloom_contains(bloom_agg(v), NULL) IS NULL AS "null"
FROM (VALUES (NULL), (1), (NULL), (2)) t(v);

-- All concrete overloads; equal values of different widths are one.
SELECT (bloom_info(bloom_agg(v::smallint))).value_type AS smallint, (bloom_info(bloom_agg(v))).value_type AS integer, (bloom_info(bloom_agg(v::bigint))).value_type AS bigint,
	(bloom_info(bloom_agg(v::text))).value_type AS text, (bloom_info(bloom_agg(v::text::bytea))).value_type AS bytea, (bloom_info(bloom_agg(md5(v::text)::uuid))).value_type AS uuid,
	(bloom_info(bloom_agg(v::numeric))).value_type AS numeric, (bloom_info(bloom_agg(date '2025-01-01' + v))).value_type AS date,
	(bloom_info(bloom_agg(timestamp '2025-01-01' + v * interval '1 s'))).value_type AS timestamp, (bloom_info(bloom_agg(timestamptz '2025-01-01' + v * interval '1 s'))).value_type AS timestamptz,
	(bloom_info(bloom_agg((65 + v)::"char"))).value_type AS "char", (bloom_info(bloom_agg(ARRAY[v]))).value_type AS "array", (bloom_info(bloom_agg(v::float8, 0.1))).value_type AS float
FROM generate_series(1, 3) v;
SELECT bloom_agg(v::smallint) = bloom_agg(v::bigint) AS widths, bloom_agg(v) = bloom_agg(v::bigint, 0.01) AS rate FROM generate_series(1, 300) v;

-- Every plan gives the same bytes.
CREATE TABLE facts AS SELECT i, i % 6 AS g, CASE WHEN i % 11 = 0 THEN NULL ELSE i * 31 % 20011 END AS v FROM generate_series(1, 30000) i;
VACUUM ANALYZE facts;
SET max_parallel_workers_per_gather = 0;
SET enable_hashagg = off;
CREATE TABLE expected AS SELECT g, bloom_agg(v ORDER BY i) AS f, bloom_agg('v' || v, 0.0005 ORDER BY i) AS t FROM facts GROUP BY g;
SELECT bool_and((bloom_info(f)).capacity = n) AS exact, bool_and((bloom_info(f)).bits = (bloom_sizing(n, 0.01)).bits) AS size
FROM expected JOIN (SELECT g, count(DISTINCT v) AS n FROM facts GROUP BY g) c USING (g);
CREATE VIEW built AS SELECT g, bloom_agg(v) AS f, bloom_agg('v' || v, 0.0005) AS t FROM facts GROUP BY g;
CREATE VIEW checked AS SELECT bool_and(b.f = e.f) AS f, bool_and(b.t = e.t) AS t, count(*) FROM built b JOIN expected e USING (g);
SELECT pg_temp.uses('GroupAggregate', 'SELECT * FROM built') AS sorted, c.* FROM checked c;
RESET enable_hashagg;
SET enable_sort = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT * FROM built') AS hashed, c.* FROM checked c;
SET work_mem = '64kB';
SELECT c.* FROM checked c;
RESET work_mem;
RESET enable_sort;
SET max_parallel_workers_per_gather = 3;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT pg_temp.is_parallel('SELECT bloom_agg(v), bloom_agg(i) FROM facts') AS parallel, bloom_agg(v) = (SELECT bloom_agg(v ORDER BY i) FROM facts) AS v,
	bloom_agg(i) = (SELECT bloom_agg(i ORDER BY i) FROM facts) AS i, bloom_agg(i) FILTER (WHERE i < 0) = '\x211000' AS nothing FROM facts;
SELECT c.* FROM checked c;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET max_parallel_workers_per_gather;
SELECT bool_and(f = CASE WHEN g IS NULL THEN (SELECT bloom_agg(v) FROM facts) ELSE (SELECT e.f FROM expected e WHERE e.g = r.g) END) AS rollup, count(*)
FROM (SELECT g, bloom_agg(v) AS f FROM facts GROUP BY ROLLUP (g)) r;
SELECT bool_and(f = (SELECT bloom_agg(v) FROM facts WHERE i BETWEEN w.i - 2 AND w.i)) AS sliding, bool_and(g = (SELECT bloom_agg(v) FROM facts WHERE i <= w.i)) AS growing
FROM (SELECT i, bloom_agg(v) OVER (ORDER BY i ROWS 2 PRECEDING) AS f, bloom_agg(v) OVER (ORDER BY i) AS g FROM facts WHERE i <= 40) w;

-- The states of aggregates without a final function: other functions take them as the
-- filters that they become, and input stores them so. From 49,153 values on some wait.
CREATE AGGREGATE working(int) (SFUNC = bloom_agg_step, STYPE = bloom);
CREATE AGGREGATE working(int, float8) (SFUNC = bloom_agg_step, STYPE = bloom);
CREATE AGGREGATE working_union(bloom) (SFUNC = bloom_union_step, STYPE = bloom);
CREATE TABLE states AS
	SELECT n, working(v) AS w, bloom_agg(v) AS f FROM (VALUES (1), (6), (7), (10), (3001), (50000)) t(n), generate_series(1, n) v GROUP BY n;
SELECT n, get_byte(w::bytea, 1) & 7 AS form, w <> f AS another, bloom_count(w) = bloom_count(f) AS count, bloom_info(w) = bloom_info(f) AS info,
	w::text::bloom = f AS text, w::bytea::bloom = f AS bytea, bloom_agg_final(w) = f AS final, bloom_add(w, -1) = bloom_add(f, -1) AS added,
	bloom_add(w, 1) = f AS added_again, w || f = f AND f || w = f AS twice, w || '\x211000' = f AND '\x211000' || w = f AS nothing
FROM states ORDER BY n;
SELECT n, pg_column_size(w) <= 200 AS small FROM states WHERE n <= 10 ORDER BY n;
SELECT bool_and(bloom_contains(w, v)) AS stored, bool_and(bloom_contains(w, -v) = bloom_contains(f, -v)) AS absent_too FROM states, generate_series(1, 40) v WHERE v <= n;
SELECT bloom_union(w)::bytea::bloom = (SELECT bloom_agg(v) FROM generate_series(1, 50000) v) AS states_stay_exact, get_byte(working_union(w)::bytea, 1) & 7 AS form,
	working_union(w)::bytea::bloom = bloom_union(w) AS by_hand, bloom_union(w ORDER BY n DESC) = bloom_union(w) AS backwards FROM states;
SELECT (bloom_info(bloom_union(CASE WHEN n = 10 THEN f ELSE w END))).layers AS states_and_filters, bool_and(bloom_contains((SELECT bloom_union(CASE WHEN n = 10 THEN f ELSE w END) FROM states), n)) AS contains FROM states;
CALL pg_temp.fails('SELECT bloom_contains(w, ''a'') FROM sized.states');
CALL pg_temp.fails('SELECT bloom_union(w) FROM (SELECT w FROM sized.states UNION ALL SELECT sized.working(1, 0.02)) t');
CALL pg_temp.fails('SELECT bloom_union(w) FROM (SELECT w FROM sized.states UNION ALL SELECT bloom_agg(1, 10, 0.01)) t');
CALL pg_temp.fails('SELECT bloom_union(w ORDER BY n DESC) FROM (SELECT n, w FROM sized.states UNION ALL SELECT 99999, bloom_agg(1, 10, 0.01)) t');
CALL pg_temp.fails('SELECT bloom_union(w) FROM (SELECT w FROM sized.states UNION ALL SELECT bloom_agg(''a''::text)) t');
SELECT bool_and(seen::bytea::bloom = expected) AS own_rows, bool_and(before::bytea::bloom = expected_before) AS lag
FROM (SELECT seen, expected, lag(seen) OVER (ORDER BY v) AS before, lag(expected) OVER (ORDER BY v) AS expected_before
	FROM (SELECT v, working(v) OVER w AS seen, bloom_agg(v) OVER w AS expected FROM generate_series(1, 40) v WINDOW w AS (ORDER BY v)) t) u;
-- One that begins with a filter, or an empty one, goes on with that.
DO $$ BEGIN
	EXECUTE format('CREATE AGGREGATE onto_layers(int) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)', bloom_agg(1));
	EXECUTE 'CREATE AGGREGATE onto_nothing(int) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = ''\x211000'')';
	EXECUTE format('CREATE AGGREGATE onto_fixed(int) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)', bloom_empty(10, 0.01));
	EXECUTE format('CREATE AGGREGATE fixed_onto_layers(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)', bloom_agg(1));
END $$;
SELECT (bloom_info(onto_layers(v))).layers, bool_and(v BETWEEN 1 AND 7) AS all, onto_nothing(v) = bloom_agg(v) AS nothing FROM generate_series(1, 7) v;
CALL pg_temp.fails('SELECT sized.onto_fixed(1)');
CALL pg_temp.fails('SELECT sized.fixed_onto_layers(1, 10, 0.01)');

-- Rates that are none, or change; nothing but an aggregate calls the step.
CALL pg_temp.fails('SELECT bloom_agg(1, 0)');
CALL pg_temp.fails('SELECT bloom_agg(1, -0.5)');
CALL pg_temp.fails('SELECT bloom_agg(1, ''NaN''::float8)');
CALL pg_temp.fails('SELECT bloom_agg(1, 1)');
CALL pg_temp.fails('SELECT bloom_agg(1, 1e-300)');
CALL pg_temp.fails('SELECT bloom_agg(v, 1e-17) FROM generate_series(1, 10) v');
CALL pg_temp.fails('SELECT bloom_agg(1, NULL::float8)');
CALL pg_temp.fails('SELECT bloom_agg(v, 0.01 * v) FROM generate_series(1, 2) v');
CALL pg_temp.fails('SELECT bloom_agg(json ''{}'')');
CALL pg_temp.fails('SELECT bloom_agg_step(NULL, 1)');
CALL pg_temp.fails('SELECT bloom_agg_step(NULL, 1, 0.01)');
SELECT bloom_agg(v, r) = bloom_agg(7, 0.1) AS changes_without_a_value FROM (VALUES (NULL, 5), (7, 0.1), (NULL, NULL)) t(v, r);

SET client_min_messages = warning;
DROP SCHEMA sized CASCADE;
