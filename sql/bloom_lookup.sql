-- bloom_contains on filters as they are stored: by slices, read whole after a few
-- look-ups, in line, compressed. The same answers as in memory, and never those
-- of a filter that was there before.

CREATE SCHEMA lookup;
SET search_path = lookup, public;
-- 100,000 values each, but for the third; 124 kB, 245 kB, in line, 1.2 MB.
CREATE TABLE filters (id int PRIMARY KEY, f bloom);
INSERT INTO filters SELECT 1, bloom_agg(v, 100000, 0.01) FROM generate_series(1, 100000) v;
INSERT INTO filters SELECT 2, bloom_agg(v::text, 100000, 0.0001, 5) FROM generate_series(1, 100000) v;
INSERT INTO filters SELECT 3, bloom_agg(v, 30, 0.01) FROM generate_series(1, 30) v;
INSERT INTO filters SELECT 4, bloom_agg(v, 1000000, 0.01) FROM generate_series(1, 100000) v;
SELECT id, pg_column_size(f) > 100000 AS large, pg_column_compression(f) IS NULL AS as_it_is FROM filters ORDER BY id;
SELECT pg_relation_size(reltoastrelid) > 1500000 AS out_of_line FROM pg_class WHERE oid = 'filters'::regclass;
-- The same in memory, for comparison: bytes made a filter again.
CREATE VIEW in_memory AS SELECT id, bloom_from_bytea(f::bytea || ''::bytea) AS f FROM filters;

-- No value is denied: by one look-up each (a filter for each row), by many.
SELECT count(*) FILTER (WHERE NOT bloom_contains(f, v)) AS denied, count(*) FROM filters, generate_series(1, 100000) v WHERE id = 1;
SELECT count(*) FILTER (WHERE NOT bloom_contains(f, v::text)) AS denied, count(*) FROM filters, generate_series(1, 100000) v WHERE id = 2;
SELECT count(*) FILTER (WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 1), v)) AS subquery,
	count(*) FILTER (WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 2), v::text)) AS text,
	count(*) FILTER (WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 4), v)) AS larger
FROM generate_series(1, 100000) v;
-- One by one, each behind a command that writes, after which nothing that was read is
-- known again: only slices are read. What is kept shows it: no filter of these sizes.
CREATE TABLE ticks (n int);
CREATE FUNCTION kept() RETURNS text AS $$
	SELECT CASE WHEN sum(total_bytes) > 100000 THEN 'whole' WHEN sum(total_bytes) < 20000 THEN 'counts' END
	FROM pg_backend_memory_contexts WHERE name = 'bloomsketch kept values'
$$ LANGUAGE sql;
CREATE FUNCTION by_slices(wanted int, v int) RETURNS boolean AS $$
BEGIN
	INSERT INTO ticks VALUES (v);
	RETURN (SELECT CASE WHEN id = 2 THEN bloom_contains(f, v::text) ELSE bloom_contains(f, v) END FROM filters WHERE id = wanted);
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION denied_one_by_one(wanted int, n int, OUT denied bigint, OUT kept text) AS $$
BEGIN
	SELECT count(*) FILTER (WHERE NOT by_slices(wanted, v)) INTO denied FROM generate_series(1, n) v;
	kept := kept();
END
$$ LANGUAGE plpgsql;
SELECT id, d.* FROM filters, LATERAL denied_one_by_one(id, 4000) d WHERE id <> 3 ORDER BY id;
SELECT * FROM denied_one_by_one(3, 30);

-- Values that are not there: slices, the whole filter and memory agree on each.
BEGIN;
CREATE TABLE slices AS SELECT v, by_slices(1, -v) AS yes FROM generate_series(1, 3000) v;
SELECT kept();
CREATE TABLE whole AS SELECT v, bloom_contains((SELECT f FROM filters WHERE id = 1), -v) AS yes FROM generate_series(1, 3000) v;
SELECT kept();
COMMIT;
SELECT kept() AS after_commit;
CREATE TABLE memory AS SELECT v, bloom_contains((SELECT f FROM in_memory WHERE id = 1), -v) AS yes FROM generate_series(1, 3000) v;
SELECT count(*) FILTER (WHERE s.yes <> w.yes) AS slices_and_whole, count(*) FILTER (WHERE w.yes <> m.yes) AS whole_and_memory,
	count(*) FILTER (WHERE s.yes) BETWEEN 5 AND 60 AS some_said_yes, count(*)
FROM slices s JOIN whole w USING (v) JOIN memory m USING (v);
SELECT count(*) FILTER (WHERE stored <> memory) AS other_answers, count(*) FILTER (WHERE stored) < 20 AS few_said_yes
FROM (SELECT bloom_contains((SELECT f FROM filters WHERE id = 2), 'x' || v) AS stored, bloom_contains((SELECT f FROM in_memory WHERE id = 2), 'x' || v) AS memory
	FROM generate_series(1, 50000) v OFFSET 0) t;

-- How much is read: a few pages for one look-up, all of it for many, and not again and again.
CREATE FUNCTION pages(command text) RETURNS bigint AS $$
DECLARE
	plan json;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, FORMAT json) ' || command INTO plan;
	RETURN (plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks')::bigint + (plan -> 0 -> 'Plan' ->> 'Shared Read Blocks')::bigint;
END
$$ LANGUAGE plpgsql;
SELECT pages('SELECT bloom_contains(f, 5) FROM filters WHERE id = 4') < 30 AS slices, pages('SELECT bloom_count(f) FROM filters WHERE id = 4') > 100 AS whole,
	pages('SELECT count(*) FROM generate_series(1, 20000) v WHERE bloom_contains((SELECT f FROM filters WHERE id = 4), v)') < 3000 AS many
FROM generate_series(1, 2);

-- From a join, a CTE, a function's argument and result, an array, a row.
SELECT count(*) FILTER (WHERE bloom_contains(f, v)) AS join FROM generate_series(1, 20000) v JOIN filters ON id = 1 + v % 2 * 3;
WITH c AS MATERIALIZED (SELECT f FROM filters WHERE id = 1) SELECT count(*) FILTER (WHERE bloom_contains(f, v)) AS cte FROM c, generate_series(1, 20000) v;
WITH c AS NOT MATERIALIZED (SELECT f FROM filters WHERE id = 1)
SELECT count(*) FILTER (WHERE bloom_contains((SELECT f FROM c), v)) AS cte FROM generate_series(1, 20000) v;
CREATE FUNCTION yes(f bloom, n int) RETURNS bigint AS 'SELECT count(*) FROM generate_series(1, n) v WHERE bloom_contains(f, v)' LANGUAGE sql;
CREATE FUNCTION yes_plpgsql(f bloom, n int) RETURNS bigint AS $$
DECLARE
	found bigint := 0;
BEGIN
	FOR v IN 1..n LOOP
		IF bloom_contains(f, v) THEN found := found + 1; END IF;
	END LOOP;
	RETURN found;
END
$$ LANGUAGE plpgsql;
CREATE FUNCTION wanted(int) RETURNS bloom AS 'SELECT f FROM filters WHERE id = $1' LANGUAGE sql STABLE;
SELECT id, yes(f, 20000) AS argument, yes_plpgsql(f, 20000) AS plpgsql, yes(wanted(id), 20000) AS result FROM filters WHERE id IN (1, 4) ORDER BY id;
SELECT count(*) FILTER (WHERE bloom_contains(wanted(1), v)) AS result, count(*) FILTER (WHERE bloom_contains((ARRAY[wanted(4), wanted(1)])[2], v)) AS array,
	count(*) FILTER (WHERE bloom_contains((SELECT (filters).f FROM filters WHERE id = 1), v)) AS row
FROM generate_series(1, 300) v;
-- Two filters in turn, each in a row of its own: now one, now the other.
SELECT id, count(*) FILTER (WHERE bloom_contains(f, v)) AS yes, count(*)
FROM (SELECT id, f, v FROM generate_series(1, 2000) v, filters WHERE id IN (1, 4) ORDER BY v, id OFFSET 0) t GROUP BY id ORDER BY id;
-- More of them in turn than the table of kept ones has places: the same as one by one.
CREATE TABLE many AS SELECT id, bloom_agg(id * 1000 + v, 3000, 0.01) AS f FROM generate_series(1, 70) id, generate_series(1, 30) v GROUP BY id;
BEGIN;
SELECT count(*) FILTER (WHERE bloom_contains(f, id * 1000 + v) <> (v <= 30)) AS wrong_in_turn, count(*)
FROM (SELECT id, f, v FROM many, generate_series(1, 60) v ORDER BY v, id OFFSET 0) t;
SELECT kept();
COMMIT;
SELECT count(*) FILTER (WHERE bloom_contains(f, id * 1000 + v) <> (v <= 30)) AS wrong_one_by_one, count(*)
FROM (SELECT id, f, v FROM many, generate_series(1, 60) v ORDER BY id, v OFFSET 0) t;
-- A filter as it is while it is built, stored by an aggregate without a final function:
-- fifteen values still wait, and are there.
CREATE AGGREGATE unfinished(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom);
INSERT INTO filters SELECT 5, unfinished(v, 500000, 0.01) FROM generate_series(1, 1007) v;
SELECT get_byte(f::bytea, 1) % 8 AS form, get_byte(f::bytea, length(f::bytea) - 132) AS waiting,
	bloom_from_bytea(f::bytea) = (SELECT bloom_agg(v, 500000, 0.01) FROM generate_series(1, 1007) v) AS filter
FROM filters WHERE id = 5;
BEGIN;
SELECT count(*) FILTER (WHERE by_slices(5, v) <> (v <= 1007)) AS wrong, count(*) FROM generate_series(968, 1047) v;
SELECT kept();
SELECT count(*) FILTER (WHERE bloom_contains((SELECT f FROM filters WHERE id = 5), v) <> (v <= 1007)) AS wrong, count(*) FROM generate_series(968, 1047) v;
SELECT kept();
COMMIT;
-- In parallel workers, and in those alone: each has a part of the aggregate, and with it the look-ups.
\i test/sql/plans.sql
CREATE TABLE numbers AS SELECT v FROM generate_series(1, 60000) v;
ANALYZE numbers;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET parallel_leader_participation = off;
SELECT pg_temp.uses('Partial Aggregate', 'SELECT count(*) FILTER (WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 1), v)) AS denied, count(*) FROM numbers') AS sub_query,
	pg_temp.uses('Partial Aggregate', 'SELECT count(*) FILTER (WHERE NOT bloom_contains(f, v)) AS denied, count(*) FROM numbers JOIN filters ON id = 1 + v % 2 * 3') AS "join";
SELECT count(*) FILTER (WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 1), v)) AS denied, count(*) FROM numbers;
SELECT count(*) FILTER (WHERE NOT bloom_contains(f, v)) AS denied, count(*) FROM numbers JOIN filters ON id = 1 + v % 2 * 3;
RESET parallel_leader_participation;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;

-- Other ways to store it: compressed in line, compressed out of line, neither.
SET default_toast_compression = 'pglz';
CREATE TABLE others (id int, external bloom, extended bloom, main bloom, plain bloom);
ALTER TABLE others ALTER extended SET STORAGE extended, ALTER main SET STORAGE main, ALTER plain SET STORAGE plain;
INSERT INTO others SELECT n, f, f, f, CASE WHEN length(f::bytea) < 7000 THEN f END
FROM (SELECT n, bloom_agg(v, c, 0.01, n) AS f FROM (VALUES (1, 1000, 1000), (2, 10, 1000), (3, 10, 100000), (4, 5000, 100000), (5, 30000, 100000)) t(n, used, c),
	LATERAL generate_series(1, used) v GROUP BY n) t;
SELECT id, pg_column_compression(external) IS NULL AS external, pg_column_compression(extended) IS NOT NULL AS extended_is_compressed,
	pg_column_size(extended) > 2100 AS out_of_line
FROM others ORDER BY id;
SELECT id, bool_and(bloom_contains(external, v)) AS external, bool_and(bloom_contains(extended, v)) AS extended, bool_and(bloom_contains(main, v)) AS main,
	bool_and(bloom_contains(plain, v)) AS plain
FROM others, LATERAL generate_series(1, (ARRAY[1000, 10, 10, 5000, 30000])[id]) v GROUP BY id ORDER BY id;
SELECT id, bool_and(bloom_contains(external, -v) = bloom_contains(extended, -v) AND bloom_contains(external, -v) = bloom_contains(main, -v)
	AND coalesce(bloom_contains(plain, -v), bloom_contains(main, -v)) = bloom_contains(main, -v)) AS same_answers
FROM others, generate_series(1, 2000) v GROUP BY id ORDER BY id;
SELECT id, external = extended AND main = extended AS equal, bloom_count(external) = bloom_count(extended) AS count,
	external || extended = main AS union, bloom_add(extended, 1) = external AS add, bloom_info(external) = bloom_info(extended) AS info,
	bloom_hash(main) = bloom_hash(extended) AS hash, external::bytea = extended::bytea AS bytea
FROM others ORDER BY id;
SELECT bloom_union(f) = external AS union, count(DISTINCT f) AS one FROM others, LATERAL (VALUES (external), (extended), (main)) t(f) GROUP BY id, external ORDER BY id;

SET client_min_messages = warning;
DROP SCHEMA lookup CASCADE;
