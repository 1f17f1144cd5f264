-- Filters as values like others: compared, grouped, indexed, in arrays, rows,
-- defaults and constraints, in and out of functions; none changes under its reader.

CREATE SCHEMA usage;
SET search_path = usage, public;
-- Small filters of one to five values, twice each, made by different routes; and large ones.
CREATE TABLE filters (id int, n int, f bloom);
INSERT INTO filters SELECT n, n, bloom_agg(v, 100, 0.0000001) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO filters SELECT 10 + n, n, bloom_union(bloom_add(bloom_empty(100, 0.0000001), v)) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO filters SELECT 0, 0, bloom_agg(NULL::int, 100, 0.0000001) UNION ALL SELECT 10, 0, '\x211000';
INSERT INTO filters SELECT n / 100 + twin, n, bloom_agg(CASE twin WHEN 0 THEN v ELSE n + 1 - v END, 500000, 0.01)
FROM (VALUES (5000), (20000)) t(n), generate_series(0, 1) twin, generate_series(1, n) v GROUP BY n, twin;
SELECT count(*), count(DISTINCT n) AS sets, count(DISTINCT f) AS filters FROM filters;

-- Equal where the values are; the order is total, and the one of the bytes.
SELECT bool_and((a.f = b.f) = (a.n = b.n)) AS eq, bool_and((a.f <> b.f) = (a.n <> b.n)) AS ne, bool_and((a.f < b.f) = (a.f::bytea < b.f::bytea)) AS lt,
	bool_and((a.f <= b.f) = (a.f::bytea <= b.f::bytea)) AS le, bool_and((a.f > b.f) = (a.f::bytea > b.f::bytea)) AS gt,
	bool_and((a.f >= b.f) = (a.f::bytea >= b.f::bytea)) AS ge, bool_and(bloom_cmp(a.f, b.f) = byteacmp(a.f::bytea, b.f::bytea)) AS cmp,
	bool_and((a.f = b.f) = (bloom_hash(a.f) = bloom_hash(b.f))) AS hash, bool_and((a.f = b.f) = (bloom_hash_extended(a.f, 7) = bloom_hash_extended(b.f, 7))) AS extended
FROM filters a, filters b;
SELECT bloom_agg(1, 10, 0.01) = bloom_agg(1, 11, 0.01) AS capacity, bloom_agg(1, 10, 0.01) = bloom_agg(1, 10, 0.02) AS rate,
	bloom_agg(1, 10, 0.01) = bloom_agg(1, 10, 0.01, 1) AS seed, bloom_agg(1, 10, 0.01) = bloom_agg('1'::text, 10, 0.01) AS kind,
	bloom_agg(1::smallint, 10, 0.01) = bloom_agg(1::bigint, 10, 0.01) AS one_kind, '\x211000' = bloom_empty(10, 0.01) AS parameters,
	(bloom_empty(10, 0.01) = NULL) IS NULL AND (NULL < bloom_empty(10, 0.01)) IS NULL AS null;
SELECT o.oprname, c.oprname AS commutator, n.oprname AS negator, o.oprcanhash AS hashes, o.oprcanmerge AS merges
FROM pg_operator o LEFT JOIN pg_operator c ON c.oid = o.oprcom LEFT JOIN pg_operator n ON n.oid = o.oprnegate
WHERE o.oprright = 'bloom'::regtype ORDER BY o.oprname COLLATE "C";
SELECT amname, opcname, opcdefault, amvalidate(c.oid) AS valid
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'bloom'::regtype ORDER BY amname;

-- GROUP BY, DISTINCT, set operations and joins, hashed and sorted; indexes.
SET enable_sort = off;
SELECT count(*) AS groups, sum(c) AS rows FROM (SELECT count(*) AS c FROM filters GROUP BY f) t;
SELECT count(*) FROM (SELECT DISTINCT f FROM filters) t;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(c) AS rows FROM (SELECT count(*) AS c FROM filters GROUP BY f) t;
SELECT count(*) FROM (SELECT f FROM filters WHERE id < 10 INTERSECT SELECT f FROM filters WHERE id >= 10) t;
RESET enable_hashagg;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM filters a JOIN filters b USING (f);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM filters a JOIN filters b USING (f);
RESET enable_hashjoin;
RESET enable_nestloop;
CREATE INDEX ON filters USING hash (f);
CREATE UNIQUE INDEX ON filters USING btree (f) WHERE id < 10 AND n < 5;
SET enable_seqscan = off;
SELECT array_agg(id ORDER BY id) FROM filters WHERE f = (SELECT bloom_agg(v, 500000, 0.01) FROM generate_series(1, 5000) v);
SELECT array_agg(id ORDER BY id) FROM filters WHERE id < 10 AND n < 5 AND f >= '\x211000';
RESET enable_seqscan;

-- Arrays, rows, domains, defaults, constraints, generated columns.
SELECT ARRAY[a.f, b.f] = ARRAY[b.f, a.f] AS equal_if_same, a.f = ANY (ARRAY[b.f, c.f]) AS any, ROW(a.f, 1) = ROW(b.f, 1) AS row, a.f IS DISTINCT FROM c.f AS distinct
FROM filters a, filters b, filters c WHERE a.id = 3 AND b.id = 13 AND c.id = 4;
SELECT bool_and(bloom_contains(l[i], 4) = (i >= 4)) AS elements, array_position(l, l[2]) AS second,
	(SELECT bloom_union(f) FROM unnest(l) f) = l[5] AS united
FROM (SELECT array_agg(f ORDER BY id) AS l FROM filters WHERE id BETWEEN 1 AND 5) t, generate_series(1, 5) i GROUP BY l;
CREATE TYPE named AS (name text, f bloom);
CREATE DOMAIN small_filter AS bloom CHECK (VALUE IS NULL OR (bloom_info(VALUE)).bytes < 1000);
CREATE TABLE days (day int PRIMARY KEY, f bloom NOT NULL DEFAULT bloom_empty(100, 0.001), one named, small small_filter DEFAULT bloom_empty(10, 0.1),
	count bigint GENERATED ALWAYS AS (bloom_count(f)) STORED, CONSTRAINT capacity CHECK ((bloom_info(f)).capacity = 100), CONSTRAINT unlucky CHECK (NOT bloom_contains(f, 13)));
INSERT INTO days (day) VALUES (1), (2);
UPDATE days SET f = bloom_add(bloom_add(f, day), 7), one = ROW('day', bloom_add(bloom_empty(5, 0.1), 'x')), small = bloom_add(small, day);
INSERT INTO days (day, f) VALUES (2, bloom_add(bloom_empty(100, 0.001), 8)) ON CONFLICT (day) DO UPDATE SET f = days.f || excluded.f;
SELECT day, count, bloom_contains(f, day) AS own, bloom_contains(f, 7) AS seven, bloom_contains(f, 8) AS eight, bloom_contains((one).f, 'x') AS in_row, bloom_contains(small, day) AS small
FROM days ORDER BY day;
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('UPDATE days SET f = bloom_add(f, 13)') AS "check", error_of('UPDATE days SET small = bloom_empty(9999, 0.01)') AS domain,
	error_of('INSERT INTO days (day, f) VALUES (3, bloom_empty(99, 0.001))') AS other_capacity, error_of('SELECT bloom_contains(small, ''a'') FROM days') AS kind;
-- NOT bloom_contains as a filter on a table: never a row too few.
SELECT count(*) AS certainly_new, bool_and(v > 5000) AS right_ones FROM generate_series(1, 10000) v WHERE NOT bloom_contains((SELECT f FROM filters WHERE id = 50), v);
-- An index of expressions, and rows that are chosen by it.
CREATE INDEX ON days (bloom_contains(f, 8));
SET enable_seqscan = off;
SELECT day FROM days WHERE bloom_contains(f, 8) ORDER BY day;
RESET enable_seqscan;

-- Prepared statements, generic too; parameters without a type are text.
PREPARE has(bloom, bigint) AS SELECT bloom_contains($1, $2);
SELECT f AS five FROM filters WHERE id = 5 \gset
EXECUTE has(:'five', 5);
PREPARE untyped AS SELECT bloom_contains(bloom_add(bloom_empty(10, 0.001), $1), $2) AS has;
EXECUTE untyped('a', 'a');
EXECUTE untyped('a', 'b');
EXECUTE untyped('a', NULL);
SET plan_cache_mode = force_generic_plan;
EXECUTE untyped('c', 'c');
EXECUTE has(:'five', 6);
RESET plan_cache_mode;

-- A function never changes its argument. Appending a byte makes a copy that a write would not reach.
CREATE FUNCTION variables(a bloom, b bloom) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	united bloom;
	added bloom := a;
	changed text := '';
BEGIN
	united := bloom_union(a, b);
	united := united || a || b;
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := 'union '; END IF;
	FOR i IN 1000001..1000040 LOOP added := bloom_add(added, i); END LOOP;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'add '; END IF;
	SELECT bloom_union(f) INTO united FROM (VALUES (a), (b), (a)) t(f);
	SELECT bloom_union(f) INTO united FROM unnest(ARRAY[a, b, added]) f;
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := changed || 'aggregate '; END IF;
	b := a;
	b := bloom_add(b, 2000000) || united;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'assignment '; END IF;
	IF NOT (bloom_contains(b, 2000000) AND bloom_contains(b, 1000040)) THEN changed := changed || 'nothing was done '; END IF;
	RETURN coalesce(nullif(changed, ''), 'nothing changed');
END
$$ LANGUAGE plpgsql;
SELECT c, variables(bloom_agg(v, c, 0.001), bloom_agg(-v, c, 0.001)) FROM (VALUES (100), (500000)) t(c), generate_series(1, 20) v GROUP BY c ORDER BY c;
SELECT variables(a.f, b.f) AS stored FROM filters a, filters b WHERE a.id = 50 AND b.id = 200;
SELECT c, f::bytea = e AS before, f || g = g || f AS united, bloom_count(bloom_add(f, 0)) >= bloom_count(f) AS added, f::bytea = e AS after
FROM (SELECT c, bloom_agg(v, c, 0.001) AS f, bloom_agg(-v, c, 0.001) AS g, bloom_agg(v, c, 0.001)::bytea || ''::bytea AS e
	FROM (VALUES (100), (500000)) t(c), generate_series(1, 20) v GROUP BY c) t ORDER BY c;

-- Aggregates made by hand, without a final function, hand out their state as it
-- stands; of a large filter that is another form, which holds back up to 16 values.
CREATE AGGREGATE working(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom);
CREATE AGGREGATE working_union(bloom) (SFUNC = bloom_union_step, STYPE = bloom);
CREATE TABLE states AS
	SELECT n, working(v, 500000, 0.01) AS w, bloom_agg(v, 500000, 0.01) AS f FROM (VALUES (1), (15), (16), (17), (40), (3001)) t(n), generate_series(1, n) v GROUP BY n;
SELECT n, (bloom_info(w)).items = bloom_count(f) AS items, (bloom_info(w)).bits_set = (bloom_info(f)).bits_set AS bits_set, (bloom_info(w)).value_type AS kind,
	bloom_count(w) = bloom_count(f) AS count, w::text::bloom = f AS text, w::bytea::bloom = f AS bytea, bloom_agg_final(w) = f AS final,
	bloom_add(w, -1) = bloom_add(f, -1) AS added, bloom_count(bloom_add(w, 1)) = bloom_count(f) AS added_again,
	w || bloom_add(bloom_empty(500000, 0.01), -1) = bloom_add(f, -1) AS united, bloom_empty(500000, 0.01) || w = f AS other_side, w || w = f AS twice,
	bloom_union_final(w || '\x211000') = f AND bloom_union_final('\x211000' || w) = f AS nothing
FROM states ORDER BY n;
SELECT n, bool_and(bloom_contains(w, v)) AS stored, bool_and(bloom_contains((SELECT w FROM states o WHERE o.n = s.n), v)) AS subquery,
	bool_and(bloom_contains(w, -v) = bloom_contains(f, -v)) AS absent_too
FROM states s, generate_series(1, n) v WHERE n < 100 GROUP BY n ORDER BY n;
SELECT bool_and(bloom_contains(w, v)) AS in_memory FROM (SELECT working(v, 500000, 0.01) AS w FROM generate_series(1, 25) v) s, generate_series(1, 25) v;
SELECT bloom_union(w) = bloom_union(f) AS aggregate, bloom_union(w ORDER BY n DESC) = bloom_union(f) AS backwards,
	bloom_union(CASE WHEN n % 2 = 0 THEN w ELSE f END ORDER BY n) = bloom_union(f) AS mixed, working_union(w)::bytea::bloom = bloom_union(f) AS by_hand,
	working_union(f) = bloom_union(f) AS by_hand_at_rest
FROM states;
SELECT error_of('SELECT w || bloom_empty(500001, 0.01) FROM states') AS size, error_of('SELECT bloom_contains(w, ''a'') FROM states') AS kind,
	error_of('SELECT bloom_union(w) FROM (SELECT w FROM states UNION ALL SELECT bloom_empty(500000, 0.01, 5)) t') AS seed;
SELECT bool_and(seen::bytea::bloom = expected) AS own_rows, bool_and(before::bytea::bloom = expected_before) AS lag
FROM (SELECT seen, expected, lag(seen) OVER (ORDER BY v) AS before, lag(expected) OVER (ORDER BY v) AS expected_before
	FROM (SELECT v, working(v, 500000, 0.01) OVER w AS seen, bloom_agg(v, 500000, 0.01) OVER w AS expected FROM generate_series(1, 40) v WINDOW w AS (ORDER BY v)) t) u;

-- One that begins with an empty filter takes the kind of its first value.
DO $$ BEGIN
	EXECUTE format('CREATE AGGREGATE onto_empty(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)',
		bloom_empty(10, 0.01));
END $$;
SELECT onto_empty(v, 10, 0.01) = bloom_agg(v, 10, 0.01) AS same, onto_empty(NULL, 10, 0.01) = bloom_empty(10, 0.01) AS nothing FROM generate_series(1, 3) v;

SET client_min_messages = warning;
DROP SCHEMA usage CASCADE;
