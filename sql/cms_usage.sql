-- Sketches as values like others: compared, grouped, indexed, in arrays, rows,
-- defaults and constraints, in and out of functions; none changes under its reader.

CREATE SCHEMA usage;
SET search_path = usage, public;
-- Sketches of one to five values, twice each, made by different routes; and large ones.
CREATE TABLE sketches (id int, n int, c cms);
INSERT INTO sketches SELECT n, n, cms_agg(v, v) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT 10 + n, n, cms_union(cms_add(cms_empty(), v, v)) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT 0, 0, cms_agg(NULL::int, 7) UNION ALL SELECT 10, 0, '\x511000';
INSERT INTO sketches SELECT n / 100 + twin, n, cms_agg(CASE twin WHEN 0 THEN v ELSE n + 1 - v END)
FROM (VALUES (5000), (20000)) t(n), generate_series(0, 1) twin, generate_series(1, n) v GROUP BY n, twin;
SELECT count(*), count(DISTINCT n) AS sets, count(DISTINCT c) AS sketches, max(length(c::bytea)) > 2100 AS out_of_line FROM sketches;

-- Equal where the values and weights are; the order is total, and the one of the bytes.
SELECT bool_and((a.c = b.c) = (a.n = b.n)) AS eq, bool_and((a.c <> b.c) = (a.n <> b.n)) AS ne, bool_and((a.c < b.c) = (a.c::bytea < b.c::bytea)) AS lt,
	bool_and((a.c <= b.c) = (a.c::bytea <= b.c::bytea)) AS le, bool_and((a.c > b.c) = (a.c::bytea > b.c::bytea)) AS gt,
	bool_and((a.c >= b.c) = (a.c::bytea >= b.c::bytea)) AS ge, bool_and(cms_cmp(a.c, b.c) = byteacmp(a.c::bytea, b.c::bytea)) AS cmp,
	bool_and((a.c = b.c) = (cms_hash(a.c) = cms_hash(b.c))) AS hash, bool_and((a.c = b.c) = (cms_hash_extended(a.c, 7) = cms_hash_extended(b.c, 7))) AS extended
FROM sketches a, sketches b;
SELECT cms_agg(1) = cms_agg(1, 2) AS weight, cms_agg(1, 0.1, 0.1) = cms_agg(1, 0.11, 0.1) AS epsilon, cms_agg(1, 0.1, 0.1) = cms_agg(1, 0.1, 0.11) AS delta,
	cms_agg(1, 1, 0.1, 0.1) = cms_agg(1, 1, 0.1, 0.1, 1) AS seed, cms_agg(1) = cms_agg('1'::text) AS kind,
	cms_agg(1::smallint) = cms_agg(1::bigint) AS one_kind, '\x511000' = cms_empty(0.1, 0.1) AS parameters,
	(cms_empty() = NULL) IS NULL AND (NULL < cms_empty()) IS NULL AS null;
SELECT o.oprname, c.oprname AS commutator, n.oprname AS negator, o.oprcanhash AS hashes, o.oprcanmerge AS merges
FROM pg_operator o LEFT JOIN pg_operator c ON c.oid = o.oprcom LEFT JOIN pg_operator n ON n.oid = o.oprnegate
WHERE o.oprright = 'cms'::regtype ORDER BY o.oprname COLLATE "C";
SELECT amname, opcname, opcdefault, amvalidate(c.oid) AS valid
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'cms'::regtype ORDER BY amname;

-- GROUP BY, DISTINCT, set operations and joins, hashed and sorted; indexes.
SET enable_sort = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT count(*) AS n FROM sketches GROUP BY c) t;
SELECT count(*) FROM (SELECT DISTINCT c FROM sketches) t;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT count(*) AS n FROM sketches GROUP BY c) t;
SELECT count(*) FROM (SELECT c FROM sketches WHERE id < 10 INTERSECT SELECT c FROM sketches WHERE id >= 10) t;
RESET enable_hashagg;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (c);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (c);
RESET enable_hashjoin;
RESET enable_nestloop;
CREATE INDEX ON sketches USING hash (c);
CREATE UNIQUE INDEX ON sketches USING btree (c) WHERE id < 10 AND n < 5;
SET enable_seqscan = off;
SELECT array_agg(id ORDER BY id) FROM sketches WHERE c = (SELECT cms_agg(v) FROM generate_series(1, 5000) v);
SELECT array_agg(id ORDER BY id) FROM sketches WHERE id < 10 AND n < 5 AND c >= '\x511000';
RESET enable_seqscan;

-- Arrays, rows, domains, defaults, constraints, generated columns, upserts.
SELECT ARRAY[a.c, b.c] = ARRAY[b.c, a.c] AS equal_if_same, a.c = ANY (ARRAY[b.c, d.c]) AS any, ROW(a.c, 1) = ROW(b.c, 1) AS row, a.c IS DISTINCT FROM d.c AS distinct
FROM sketches a, sketches b, sketches d WHERE a.id = 3 AND b.id = 13 AND d.id = 4;
SELECT bool_and(cms_count(l[i], 4) = CASE WHEN i >= 4 THEN 4 ELSE 0 END) AS elements, array_position(l, l[2]) AS second,
	(SELECT cms_total(cms_union(c)) FROM unnest(l) c) AS united
FROM (SELECT array_agg(c ORDER BY id) AS l FROM sketches WHERE id BETWEEN 1 AND 5) t, generate_series(1, 5) i GROUP BY l;
CREATE TYPE named AS (name text, c cms);
CREATE DOMAIN small_sketch AS cms CHECK (VALUE IS NULL OR (cms_info(VALUE)).bytes < 1000);
CREATE TABLE days (day int PRIMARY KEY, c cms NOT NULL DEFAULT cms_empty(0.01, 0.01), one named, small small_sketch DEFAULT cms_empty(),
	total bigint GENERATED ALWAYS AS (cms_total(c)) STORED, CONSTRAINT epsilon CHECK ((cms_info(c)).epsilon = 0.01), CONSTRAINT seldom CHECK (cms_count(c, 13) < 3));
INSERT INTO days (day) VALUES (1), (2);
UPDATE days SET c = cms_add(cms_add(c, day, 10), 7), one = ROW('day', cms_add(cms_empty(), 'x')), small = cms_add(small, day);
INSERT INTO days (day, c) VALUES (2, cms_add(cms_empty(0.01, 0.01), 8)) ON CONFLICT (day) DO UPDATE SET c = days.c || excluded.c;
INSERT INTO days (day) VALUES (2) ON CONFLICT (day) DO UPDATE SET c = cms_add(days.c, 8, 4) RETURNING total;
SELECT day, total, cms_count(c, day) AS own, cms_count(c, 7) AS seven, cms_count(c, 8) AS eight, cms_count((one).c, 'x') AS in_row, cms_count(small, day) AS small
FROM days ORDER BY day;
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('UPDATE days SET c = cms_add(c, 13, 3)') AS "check", error_of('UPDATE days SET small = (SELECT c FROM sketches WHERE id = 50)') AS domain,
	error_of('INSERT INTO days (day, c) VALUES (3, cms_empty(0.02, 0.01))') AS other_epsilon, error_of('SELECT cms_count(small, ''a'') FROM days') AS kind;
CREATE TABLE pages (page text PRIMARY KEY, c cms);
INSERT INTO pages VALUES ('a', NULL), ('b', cms_empty());
INSERT INTO pages SELECT chr(96 + i % 3 + 1), cms_agg(i) FROM generate_series(1, 30) i GROUP BY i % 3 ON CONFLICT (page) DO UPDATE SET c = coalesce(pages.c, cms_empty()) || excluded.c;
SELECT page, cms_total(c), c = (SELECT cms_agg(i) FROM generate_series(1, 30) i WHERE page = chr(96 + i % 3 + 1)) AS as_built FROM pages ORDER BY page;
-- Values that pass a share of the total, by a look-up for each.
SELECT v FROM (SELECT v, c FROM (SELECT cms_agg(v * v % 10) AS c FROM generate_series(1, 1000) v) t, generate_series(0, 9) v) u WHERE cms_count(c, v) > 0.15 * cms_total(c) ORDER BY v;
-- An index of expressions, and rows that are chosen by it.
CREATE INDEX ON days (cms_count(c, 8));
SET enable_seqscan = off;
SELECT day FROM days WHERE cms_count(c, 8) = 5 ORDER BY day;
RESET enable_seqscan;

-- Prepared statements, generic too; parameters without a type are text.
PREPARE has(cms, bigint) AS SELECT cms_count($1, $2);
SELECT c AS five FROM sketches WHERE id = 5 \gset
EXECUTE has(:'five', 5);
PREPARE untyped AS SELECT cms_count(cms_add(cms_empty(), $1, $3), $2) AS n;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
EXECUTE untyped('a', 'a', 3);
EXECUTE untyped('a', 'b', 3);
EXECUTE untyped('a', NULL, 3);
SET plan_cache_mode = force_generic_plan;
EXECUTE untyped('c', 'c', 4);
EXECUTE has(:'five', 6);
PREPARE build(float8, float8, bigint) AS SELECT width, depth, total, seed FROM cms_info((SELECT cms_agg(v, 2, $1, $2, $3) FROM generate_series(1, 10) v));
EXECUTE build(0.1, 0.1, 5);
EXECUTE build(0.5, 0.5, 0);
RESET plan_cache_mode;

-- A function never changes its argument. Appending a byte makes a copy that a write would not reach.
CREATE FUNCTION variables(a cms, b cms) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	united cms;
	added cms := a;
	changed text := '';
BEGIN
	united := cms_union(a, b);
	united := united || a || b;
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := 'union '; END IF;
	FOR i IN 1000001..1000040 LOOP added := cms_add(added, i, i); END LOOP;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'add '; END IF;
	SELECT cms_union(c) INTO united FROM (VALUES (a), (b), (a)) t(c);
	SELECT cms_union(c) INTO united FROM unnest(ARRAY[a, b, added]) c;
	SELECT cms_union(c) OVER (ORDER BY n ROWS 1 PRECEDING) INTO united FROM (VALUES (1, a), (2, b), (3, a)) t(n, c);
	PERFORM cms_union(c) OVER (ORDER BY n ROWS 1 PRECEDING) FROM (VALUES (1, a), (2, b), (3, a)) t(n, c);
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := changed || 'aggregate '; END IF;
	b := a;
	b := cms_add(b, 2000000) || united;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'assignment '; END IF;
	IF cms_inner_product(a, a) <= 0 OR cms_count(added, 1000040) < 1000040 OR cms_count(b, 2000000) < 1 THEN changed := changed || 'nothing was done '; END IF;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'look-up '; END IF;
	RETURN coalesce(nullif(changed, ''), 'nothing changed');
END
$$ LANGUAGE plpgsql;
SELECT n, variables(cms_agg(v), cms_agg(-v)) FROM (VALUES (3), (9000)) t(n), generate_series(1, n) v GROUP BY n ORDER BY n;
SELECT variables(a.c, b.c) AS stored FROM sketches a, sketches b WHERE a.id = 50 AND b.id = 200;
SELECT n, c::bytea = e AS before, c || d = d || c AS united, cms_total(cms_add(c, 0)) - cms_total(c) AS added, c::bytea = e AS after
FROM (SELECT n, cms_agg(v) AS c, cms_agg(-v) AS d, cms_agg(v)::bytea || ''::bytea AS e
	FROM (VALUES (20), (9000)) t(n), generate_series(1, n) v GROUP BY n) t ORDER BY n;

-- Aggregates made by hand, without a final function, hand out their state as it
-- stands: a working form, and in some plans the very bytes that the next row changes.
CREATE AGGREGATE working(int, bigint) (SFUNC = cms_agg_step, STYPE = cms);
CREATE AGGREGATE working_union(cms) (SFUNC = cms_union_step, STYPE = cms);
CREATE TABLE states AS
	SELECT n, f, working(v, f) AS w, cms_agg(v, f) AS c FROM (VALUES (1), (40), (339), (340), (3001)) t(n), (VALUES (1), (1000000000)) u(f), generate_series(1, n) v GROUP BY n, f;
SELECT n, f, get_byte(w::bytea, 1) % 8 AS form, (cms_info(w)).total = (cms_info(c)).total AS info, (cms_info(w)).value_type AS kind, cms_total(w) = cms_total(c) AS total,
	w::text::cms = c AS text, w::bytea::cms = c AS bytea, cms_agg_final(w) = c AS final, cms_add(w, -1) = cms_add(c, -1) AS added, cms_add(w, 1, 5) = cms_add(c, 1, 5) AS added_again,
	cms_add(w, NULL) = c AND cms_add(w, 1, 0) = c AS nothing_added, w || cms_add(cms_empty(), -1) = cms_add(c, -1) AS united, cms_empty(0.001, 0.01) || w = c AS other_side, w || w = c || c AS twice,
	cms_union_final(w || '\x511000') = c AND cms_union_final('\x511000' || w) = c AS nothing, f > 1 OR cms_inner_product(w, c) = cms_inner_product(c, c) AND cms_inner_product(c, w) = cms_inner_product(w, w) AS product
FROM states ORDER BY n, f;
SELECT n, f, bool_and(cms_count(w, v) = cms_count(c, v)) AS stored, bool_and(cms_count((SELECT w FROM states o WHERE (o.n, o.f) = (s.n, s.f)), v) = cms_count(c, v)) AS subquery,
	bool_and(cms_count(w, -v) = cms_count(c, -v)) AS absent_too
FROM states s, generate_series(1, n) v WHERE n < 1000 GROUP BY n, f ORDER BY n, f;
SELECT bool_and(cms_count(w, v) = v) AS in_memory FROM (SELECT working(v, v) AS w FROM generate_series(1, 25) v) s, generate_series(1, 25) v;
SELECT cms_union(w) = cms_union(c) AS aggregate, cms_union(w ORDER BY n DESC, f) = cms_union(c) AS backwards,
	cms_union(CASE WHEN n % 2 = 0 THEN w ELSE c END ORDER BY n, f) = cms_union(c) AS mixed, working_union(w)::bytea::cms = cms_union(c) AS by_hand,
	working_union(c)::bytea::cms = cms_union(c) AS by_hand_at_rest
FROM states;
SELECT error_of('SELECT w || cms_empty(0.002, 0.01) FROM states') AS parameters, error_of('SELECT cms_count(w, ''a'') FROM states') AS kind,
	error_of('SELECT cms_union(w) FROM (SELECT w FROM states UNION ALL SELECT cms_empty(0.001, 0.01, 5)) t') AS seed;
SELECT bool_and(seen::bytea::cms = expected) AS own_rows, bool_and(before::bytea::cms = expected_before) AS lag
FROM (SELECT seen, expected, lag(seen) OVER (ORDER BY v) AS before, lag(expected) OVER (ORDER BY v) AS expected_before
	FROM (SELECT v, working(v, v) OVER w AS seen, cms_agg(v, v) OVER w AS expected FROM generate_series(1, 400) v WINDOW w AS (ORDER BY v)) t) u;

-- In line with a short or a long length word, and out of line.
CREATE TABLE stored (n int, external cms, extended cms, plain cms);
ALTER TABLE stored ALTER extended SET STORAGE extended, ALTER plain SET STORAGE plain;
INSERT INTO stored SELECT n, cms_agg(v), cms_agg(v), CASE WHEN n <= 1000 THEN cms_agg(v) END FROM (VALUES (1), (40), (1000), (90000)) t(n), generate_series(1, n) v GROUP BY n;
SELECT n, external = extended AS equal, coalesce(plain = external, n > 1000) AS plain, cms_count(external, 1) = cms_count(extended, 1) AS count, external || extended = external || external AS union,
	cms_add(extended, 1) = cms_add(external, 1) AS add, cms_inner_product(external, extended) = cms_inner_product(extended, extended) AS product,
	(cms_info(external)).bytes = (cms_info(extended)).bytes AS bytes, external::bytea = extended::bytea AS bytea, cms_hash(external) = cms_hash(extended) AS hash
FROM stored ORDER BY n;
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'stored'::regclass AND attname = 'external';
-- Values that are stored in all ways hash alike.
CREATE TABLE texts (id int, extended text, external text);
ALTER TABLE texts ALTER external SET STORAGE external;
INSERT INTO texts SELECT i, repeat('text ' || i, i * 1000), repeat('text ' || i, i * 1000) FROM generate_series(1, 5) i;
SELECT bool_and(cms_count(c, repeat('text ' || id, id * 1000)) = 2) AS found, bool_and(cms_count(c, substr(external, 1, 4000)) = CASE WHEN length(external) <= 4000 THEN 2 ELSE 0 END) AS slices
FROM texts, (SELECT cms_agg(x) AS c FROM texts, LATERAL (VALUES (extended), (external)) v(x)) s;

-- What look-ups keep of a stored sketch lasts no longer than it is sure to be the same.
CREATE FUNCTION add_and_look(first int, n int) RETURNS text AS $$
DECLARE
	wrong int := 0;
BEGIN
	FOR v IN first..first + n - 1 LOOP
		UPDATE sketches SET c = cms_add(c, v, 1000000) WHERE id = 50;
		wrong := wrong + (cms_count((SELECT c FROM sketches WHERE id = 50), v) < 1000000)::int + ((SELECT cms_count(c, v) FROM sketches WHERE id = 50) < 1000000)::int
			+ (cms_total((SELECT c FROM sketches WHERE id = 50)) <> 5000 + (v - first + 1) * 1000000)::int + ((SELECT cms_count(c, v + 1) FROM sketches WHERE id = 50) >= 1000000)::int;
	END LOOP;
	RETURN wrong || ' wrong';
END
$$ LANGUAGE plpgsql;
SELECT add_and_look(50001, 50);
BEGIN;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE cms_count((SELECT c FROM sketches WHERE id = 50), v) >= 1000000;
SAVEPOINT a;
UPDATE sketches SET c = c || (SELECT cms_agg(v, 1000000) FROM generate_series(50051, 50070) v) WHERE id = 50;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE cms_count((SELECT c FROM sketches WHERE id = 50), v) >= 1000000;
ROLLBACK TO a;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE cms_count((SELECT c FROM sketches WHERE id = 50), v) >= 1000000;
COMMIT;

-- COPY in text form, there and back.
CREATE TABLE copied (id int, c cms);
COPY (SELECT id, c FROM sketches WHERE id IN (0, 1, 3) ORDER BY id) TO STDOUT;
COPY copied FROM STDIN;
1	\\x511002fca9f1d24d62503f7b14ae47e17a843f0105c0209473cdf4f32dbd03
2	\N
\.
SELECT id, cms_count(c, 1) AS n FROM copied ORDER BY id;

SET client_min_messages = warning;
DROP SCHEMA usage CASCADE;
