-- Comparisons of sketches: operators, operator classes, and what rests on them.

-- Small sketches of one to five values, twice each, made by different routes;
-- and large ones.
CREATE TEMP TABLE sketches (id int, n int, h hll);
INSERT INTO sketches SELECT n, n, hll_agg(v) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches
	SELECT 10 + n, n, hll_agg(v ORDER BY v DESC) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT 0, 0, hll_empty() UNION ALL SELECT 10, 0, hll_agg(NULL::int);
INSERT INTO sketches
	SELECT n / 100 + twin, n, hll_agg(CASE twin WHEN 0 THEN v ELSE n + 1 - v END)
	FROM (VALUES (5000), (20000)) t(n), generate_series(0, 1) twin, generate_series(1, n) v GROUP BY n, twin;
SELECT count(*), count(h), count(DISTINCT n) FROM sketches;

-- = and <>: equal where the values are.
SELECT bool_and((a.h = b.h) = (a.n = b.n)) AS eq, bool_and((a.h <> b.h) = (a.n <> b.n)) AS ne, count(*)
FROM sketches a, sketches b;
-- Not equal: other precision, other seed, other kind of value, or nothing without parameters.
SELECT hll_agg(1) = hll_agg(1, 13) AS precision, hll_agg(1) = hll_agg(1, 14, 1) AS seed,
	hll_agg(1) = hll_agg('1'::text) AS kind, hll_agg(1::smallint) = hll_agg(1::bigint) AS one_kind,
	hll_empty() = hll_empty(14) AS parameters;
SELECT h = NULL IS NULL AND NULL <> h IS NULL AND (h < NULL) IS NULL AS null_in_null_out FROM sketches WHERE id = 1;

-- The order is one of images: total, and the same as bytea's.
SELECT bool_and((a.h < b.h) = (a.h::bytea < b.h::bytea)) AS lt, bool_and((a.h <= b.h) = (a.h::bytea <= b.h::bytea)) AS le,
	bool_and((a.h > b.h) = (a.h::bytea > b.h::bytea)) AS gt, bool_and((a.h >= b.h) = (a.h::bytea >= b.h::bytea)) AS ge,
	bool_and(hll_cmp(a.h, b.h) = byteacmp(a.h::bytea, b.h::bytea)) AS cmp,
	bool_and((a.h < b.h)::int + (a.h = b.h)::int + (a.h > b.h)::int = 1) AS trichotomy
FROM sketches a, sketches b;
SELECT bool_and(before <= h) AS ascending, count(*)
FROM (SELECT h, lag(h) OVER (ORDER BY h) AS before FROM sketches) t WHERE before IS NOT NULL;
SELECT bool_and(before >= h) AS descending, count(*)
FROM (SELECT h, lag(h) OVER (ORDER BY h DESC) AS before FROM sketches) t WHERE before IS NOT NULL;
SELECT (SELECT h FROM sketches ORDER BY h LIMIT 1) = hll_empty() AS smallest;

-- Equal sketches hash equally, with any seed.
SELECT bool_and((a.h = b.h) = (hll_hash(a.h) = hll_hash(b.h))) AS hash,
	bool_and((a.h = b.h) = (hll_hash_extended(a.h, 0) = hll_hash_extended(b.h, 0))) AS extended,
	bool_and((a.h = b.h) = (hll_hash_extended(a.h, 7) = hll_hash_extended(b.h, 7))) AS with_seed,
	bool_and(hll_hash_extended(a.h, 0) & 4294967295 = hll_hash(a.h)::bigint & 4294967295) AS low_half
FROM sketches a, sketches b;

-- GROUP BY, DISTINCT, count(DISTINCT h), set operations and joins, hashed and sorted.
\i test/sql/plans.sql
SET enable_sort = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT h FROM sketches GROUP BY h') AS hashed;
SELECT n, count(*) FROM sketches GROUP BY h, n ORDER BY n;
SELECT count(*) AS groups, sum(c) AS rows FROM (SELECT count(*) AS c FROM sketches GROUP BY h) t;
SELECT count(*) FROM (SELECT DISTINCT h FROM sketches) t;
RESET enable_sort;
SET enable_hashagg = off;
SELECT pg_temp.uses('HashAggregate', 'SELECT h FROM sketches GROUP BY h') AS hashed;
SELECT count(*) AS groups, sum(c) AS rows FROM (SELECT count(*) AS c FROM sketches GROUP BY h) t;
SELECT count(*) FROM (SELECT DISTINCT h FROM sketches) t;
RESET enable_hashagg;
SELECT count(DISTINCT h) FROM sketches;
SELECT count(*) FROM (SELECT h FROM sketches WHERE id < 10 INTERSECT SELECT h FROM sketches WHERE id >= 10) t;
SELECT count(*) FROM (SELECT h FROM sketches UNION SELECT h FROM sketches) t;
SELECT count(*) FROM (SELECT h FROM sketches EXCEPT SELECT h FROM sketches WHERE id >= 10) t;

SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT pg_temp.uses('Hash Join', 'SELECT FROM sketches a JOIN sketches b USING (h)') AS hash_join;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (h);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT pg_temp.uses('Merge Join', 'SELECT FROM sketches a JOIN sketches b USING (h)') AS merge_join;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (h);
RESET enable_hashjoin;
RESET enable_nestloop;

-- Indexes of both kinds. A btree holds what fits a third of a page, so a large
-- sketch is found there by its hash.
CREATE INDEX hashed ON sketches USING hash (h);
CREATE INDEX by_order ON sketches USING btree (h) WHERE n < 1000;
CREATE UNIQUE INDEX by_hash_of_it ON sketches (hll_hash_extended(h, 0), id);
ANALYZE sketches;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SELECT pg_temp.uses('hashed', format('SELECT FROM sketches WHERE h = %L', (SELECT h FROM sketches WHERE id = 50))) AS used;
SELECT id FROM sketches WHERE h = (SELECT h FROM sketches WHERE id = 50) ORDER BY id;
SELECT id FROM sketches WHERE h = (SELECT hll_agg(v) FROM generate_series(1, 3) v) ORDER BY id;
SELECT count(*) AS none FROM sketches WHERE h = (SELECT hll_agg(v) FROM generate_series(2, 4) v);
DROP INDEX hashed;
SELECT pg_temp.uses('by_order', 'SELECT FROM sketches WHERE n < 1000 ORDER BY h') AS used;
SELECT bool_and(before <= h) AS ascending, count(*)
FROM (SELECT h, lag(h) OVER () AS before FROM (SELECT h FROM sketches WHERE n < 1000 ORDER BY h) t) t WHERE before IS NOT NULL;
SELECT pg_temp.uses('by_order', 'SELECT FROM sketches WHERE n < 1000 AND h > hll_empty()') AS used;
SELECT count(*), min(n), max(n) FROM sketches WHERE n < 1000 AND h > hll_empty();
SELECT pg_temp.uses('by_order', format('SELECT FROM sketches WHERE n < 1000 AND h = %L', hll_empty())) AS used;
SELECT id FROM sketches WHERE n < 1000 AND h = hll_empty() ORDER BY id;
SELECT pg_temp.uses('by_hash_of_it', 'SELECT FROM sketches WHERE hll_hash_extended(h, 0) = 1') AS used;
SELECT id FROM sketches WHERE hll_hash_extended(h, 0) = (SELECT hll_hash_extended(h, 0) FROM sketches WHERE id = 200) ORDER BY id;
RESET enable_seqscan;
RESET enable_bitmapscan;
-- A unique index refuses the same set of values.
CREATE TEMP TABLE unique_sketches (h hll UNIQUE);
INSERT INTO unique_sketches SELECT h FROM sketches WHERE id BETWEEN 1 AND 5;
INSERT INTO unique_sketches SELECT h FROM sketches WHERE id BETWEEN 11 AND 15 ON CONFLICT DO NOTHING;
SELECT count(*) FROM unique_sketches;

-- Arrays and rows of sketches compare through the same operators.
SELECT ARRAY[a.h, b.h] = ARRAY[b.h, a.h] AS equal_if_same, a.h = ANY (ARRAY[b.h, c.h]) AS any,
	a.h <> ALL (ARRAY[c.h, hll_empty()]) AS all, ROW(a.h, 1) = ROW(b.h, 1) AS row, a.h IS DISTINCT FROM c.h AS distinct
FROM sketches a, sketches b, sketches c WHERE a.id = 3 AND b.id = 13 AND c.id = 4;
SELECT count(*) AS rows, count(DISTINCT h) AS sets
FROM unnest(ARRAY(SELECT h FROM sketches WHERE n BETWEEN 1 AND 5)) h;
SELECT count(*) AS groups FROM (SELECT ARRAY[h] FROM sketches GROUP BY ARRAY[h]) t;
SELECT array_position(ARRAY(SELECT h FROM sketches WHERE id <= 5 ORDER BY id), (SELECT h FROM sketches WHERE id = 14)) AS fifth;

-- The operators know their commutators and negators.
SELECT o.oprname, c.oprname AS commutator, n.oprname AS negator, o.oprcanhash AS hashes, o.oprcanmerge AS merges
FROM pg_operator o LEFT JOIN pg_operator c ON c.oid = o.oprcom LEFT JOIN pg_operator n ON n.oid = o.oprnegate
WHERE o.oprright = 'hll'::regtype ORDER BY o.oprname COLLATE "C";
SELECT amname, opcname, opcdefault, amvalidate(c.oid) AS valid
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'hll'::regtype ORDER BY amname;
