-- Sketches as values like others: compared, grouped, indexed, in arrays, rows,
-- defaults and constraints, in and out of functions; none changes under its reader.

CREATE SCHEMA usage;
SET search_path = usage, public;
-- Sketches of one to five values, twice each, made by different routes; and large ones.
CREATE TABLE sketches (id int, n int, s topk);
INSERT INTO sketches SELECT n, n, topk_agg(v, 10, v) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT 10 + n, n, topk_union(topk_add(topk_empty(10), v, v)) FROM generate_series(1, 5) n, generate_series(1, n) v GROUP BY n;
INSERT INTO sketches SELECT 0, 0, topk_agg(NULL::int, 10) UNION ALL SELECT 10, 0, '\x611000';
INSERT INTO sketches SELECT n / 10 + twin, n, topk_agg(CASE twin WHEN 0 THEN v ELSE n + 1 - v END, 10)
FROM (VALUES (500), (900)) t(n), generate_series(0, 1) twin, generate_series(1, n) v GROUP BY n, twin;
SELECT count(*), count(DISTINCT n) AS sets, count(DISTINCT s) AS sketches, max(length(s::bytea)) > 2100 AS out_of_line FROM sketches;

-- Equal where the values and weights are, while each has a counter; the order is total, and the one of the bytes.
SELECT bool_and((a.s = b.s) = (a.n = b.n)) AS eq, bool_and((a.s <> b.s) = (a.n <> b.n)) AS ne, bool_and((a.s < b.s) = (a.s::bytea < b.s::bytea)) AS lt,
	bool_and((a.s <= b.s) = (a.s::bytea <= b.s::bytea)) AS le, bool_and((a.s > b.s) = (a.s::bytea > b.s::bytea)) AS gt,
	bool_and((a.s >= b.s) = (a.s::bytea >= b.s::bytea)) AS ge, bool_and(topk_cmp(a.s, b.s) = byteacmp(a.s::bytea, b.s::bytea)) AS cmp,
	bool_and((a.s = b.s) = (topk_hash(a.s) = topk_hash(b.s))) AS hash,
	bool_and((a.s = b.s) = (topk_hash_extended(a.s, 7) = topk_hash_extended(b.s, 7))) AS extended
FROM sketches a, sketches b;
SELECT topk_agg(1, 5) = topk_agg(1, 5, 2) AS weight,
	topk_agg(1, 5) = topk_agg(1, 6) AS k,
	topk_agg('1'::text, 5, 1) = topk_agg('1'::text, 5, 1, 1) AS seed,
	topk_agg(1, 5) = topk_agg('1'::text, 5) AS kind,
	topk_agg(1.0, 5) = topk_agg(1.00, 5) AS text, topk_agg(1::smallint, 5) = topk_agg(1::bigint, 5) AS one_kind, '\x611000' = topk_empty(5) AS parameters,
	(topk_empty(5) = NULL) IS NULL AND (NULL < topk_empty(5)) IS NULL AS null;
SELECT o.oprname, c.oprname AS commutator, n.oprname AS negator, o.oprcanhash AS hashes, o.oprcanmerge AS merges
FROM pg_operator o LEFT JOIN pg_operator c ON c.oid = o.oprcom LEFT JOIN pg_operator n ON n.oid = o.oprnegate
WHERE o.oprright = 'topk'::regtype ORDER BY o.oprname COLLATE "C";
SELECT amname, opcname, opcdefault, amvalidate(c.oid) AS valid
FROM pg_opclass c JOIN pg_am a ON a.oid = opcmethod WHERE opcintype = 'topk'::regtype ORDER BY amname;

-- GROUP BY, DISTINCT, set operations and joins, hashed and sorted; indexes.
SET enable_sort = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT count(*) AS n FROM sketches GROUP BY s) t;
SELECT count(*) FROM (SELECT DISTINCT s FROM sketches) t;
RESET enable_sort;
SET enable_hashagg = off;
SELECT count(*) AS groups, sum(n) AS rows FROM (SELECT count(*) AS n FROM sketches GROUP BY s) t;
SELECT count(*) FROM (SELECT s FROM sketches WHERE id < 10 INTERSECT SELECT s FROM sketches WHERE id >= 10) t;
RESET enable_hashagg;
SET enable_nestloop = off;
SET enable_mergejoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (s);
RESET enable_mergejoin;
SET enable_hashjoin = off;
SELECT count(*), bool_and(a.n = b.n) AS right_ones FROM sketches a JOIN sketches b USING (s);
RESET enable_hashjoin;
RESET enable_nestloop;
CREATE INDEX ON sketches USING hash (s);
CREATE UNIQUE INDEX ON sketches USING btree (s) WHERE id < 10 AND n < 6;
SET enable_seqscan = off;
SELECT array_agg(id ORDER BY id) FROM sketches WHERE s = (SELECT topk_agg(v, 10) FROM generate_series(1, 500) v);
SELECT array_agg(id ORDER BY id) FROM sketches WHERE id < 10 AND n < 6 AND s >= '\x611000';
RESET enable_seqscan;

-- Arrays, rows, domains, defaults, constraints, generated columns, upserts.
SELECT ARRAY[a.s, b.s] = ARRAY[b.s, a.s] AS equal_if_same,
	a.s = ANY (ARRAY[b.s, d.s]) AS any,
	ROW(a.s, 1) = ROW(b.s, 1) AS row,
	a.s IS DISTINCT
FROM d.s AS distinct
FROM sketches a, sketches b, sketches d WHERE a.id = 3 AND b.id = 13 AND d.id = 4;
SELECT bool_and(topk_count(l[i], 4) = CASE WHEN i >= 4 THEN 4 ELSE 0 END) AS elements, array_position(l, l[2]) AS second,
	(SELECT (topk_info(topk_union(s))).total FROM unnest(l) s) AS united
FROM (SELECT array_agg(s ORDER BY id) AS l FROM sketches WHERE id BETWEEN 1 AND 5) t, generate_series(1, 5) i GROUP BY l;
CREATE TYPE named AS (name text, s topk);
CREATE DOMAIN small_sketch AS topk CHECK (VALUE IS NULL OR (topk_info(VALUE)).bytes < 1000);
CREATE TABLE days (day int PRIMARY KEY, s topk NOT NULL DEFAULT topk_empty(10), one named, small small_sketch DEFAULT topk_empty(10),
	total bigint GENERATED ALWAYS AS ((topk_info(s)).total) STORED, CONSTRAINT k CHECK ((topk_info(s)).k = 10), CONSTRAINT seldom CHECK (topk_count(s, 13) < 3));
INSERT INTO days (day) VALUES (1), (2);
UPDATE days SET s = topk_add(topk_add(s, day, 10), 7), one = ROW('day', topk_add(topk_empty(10), 'x')), small = topk_add(small, day);
INSERT INTO days (day, s) VALUES (2, topk_add(topk_empty(10), 8)) ON CONFLICT (day) DO UPDATE SET s = days.s || excluded.s;
INSERT INTO days (day) VALUES (2) ON CONFLICT (day) DO UPDATE SET s = topk_add(days.s, 8, 4) RETURNING total;
SELECT day,
	total,
	topk_count(s, day) AS own,
	topk_count(s, 7) AS seven,
	topk_count(s, 8) AS eight,
	topk_count((one).s, 'x') AS in_row,
	topk_count(small, day) AS small
FROM days ORDER BY day;
CREATE FUNCTION error_of(command text) RETURNS text AS $$
BEGIN
	EXECUTE command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;
SELECT error_of('UPDATE days SET s = topk_add(s, 13, 3)') AS "check", error_of('UPDATE days SET small = (SELECT s FROM sketches WHERE id = 50)') AS domain,
	error_of('INSERT INTO days (day, s) VALUES (3, topk_empty(20))') AS other_k, error_of('SELECT topk_count(small, ''a'') FROM days') AS kind;
CREATE TABLE pages (page text PRIMARY KEY, s topk);
INSERT INTO pages VALUES ('a', NULL), ('b', topk_empty(5));
INSERT INTO pages SELECT chr(96 + i % 3 + 1),
	topk_agg(i, 5)
FROM generate_series(1, 30) i
GROUP BY i % 3 ON CONFLICT (page) DO UPDATE SET s = coalesce(pages.s, topk_empty(5)) || excluded.s;
SELECT page,
	(topk_info(s)).total,
	s = (SELECT topk_agg(i, 5) FROM generate_series(1, 30) i WHERE page = chr(96 + i % 3 + 1)) AS as_built
FROM pages ORDER BY page;
-- Values that pass a share of the total for certain; all rows of all sketches; an index of expressions.
SELECT day, item FROM days, topk_items(s) i, topk_info(s) t WHERE i.count - error > 0.3 * t.total ORDER BY day, rank;
SELECT item, sum(count) FROM days CROSS JOIN topk_items(s) GROUP BY item ORDER BY 2 DESC, 1;
CREATE INDEX ON days (topk_count(s, 8));
SET enable_seqscan = off;
SELECT day FROM days WHERE topk_count(s, 8) = 5 ORDER BY day;
RESET enable_seqscan;
-- A table of rows, a materialised view, a cursor, a function that gives rows, sub-queries.
CREATE TABLE listed AS SELECT id, i.* FROM sketches LEFT JOIN topk_items(s, 2) i ON true WHERE id <= 5;
SELECT * FROM listed ORDER BY id, rank;
CREATE MATERIALIZED VIEW first AS SELECT id, (SELECT item FROM topk_items(s, 1)) AS item FROM sketches WHERE n BETWEEN 1 AND 5;
SELECT item, array_agg(id ORDER BY id) FROM first GROUP BY item ORDER BY item;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT rank, item FROM topk_items((SELECT s FROM sketches WHERE id = 5));
FETCH 2 FROM c;
FETCH BACKWARD 1 FROM c;
FETCH LAST FROM c;
COMMIT;
SELECT id FROM sketches WHERE EXISTS (SELECT FROM topk_items(s) WHERE item = '4' AND guaranteed) ORDER BY id;
SELECT a.item FROM topk_items((SELECT s FROM sketches WHERE id = 2)) a JOIN topk_items((SELECT s FROM sketches WHERE id = 4)) b USING (item) ORDER BY b.rank;
SELECT pg_typeof(rank), pg_typeof(item), pg_typeof(count), pg_typeof(error), pg_typeof(guaranteed) FROM topk_items((SELECT s FROM sketches WHERE id = 1));

-- Prepared statements, generic too; parameters without a type are text.
PREPARE has(topk, bigint) AS SELECT topk_count($1, $2);
SELECT s AS five FROM sketches WHERE id = 5 \gset
EXECUTE has(:'five', 5);
PREPARE untyped AS SELECT topk_count(topk_add(topk_empty(5), $1, $3), $2) AS n;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
EXECUTE untyped('a', 'a', 3);
EXECUTE untyped('a', 'b', 3);
EXECUTE untyped('a', NULL, 3);
SET plan_cache_mode = force_generic_plan;
EXECUTE untyped('c', 'c', 4);
EXECUTE has(:'five', 6);
PREPARE build(int, bigint, int) AS SELECT k,
	total,
	(SELECT count(*) FROM topk_items(s, $3)) AS rows
FROM (SELECT topk_agg(v, $1, $2) AS s FROM generate_series(1, 10) v) t,
	topk_info(s);
EXECUTE build(5, 2, 3);
EXECUTE build(20, 1, 100);
RESET plan_cache_mode;

-- A function never changes its argument. Appending a byte makes a copy that a write would not reach.
CREATE FUNCTION variables(a topk, b topk) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	united topk;
	added topk := a;
	changed text := '';
BEGIN
	united := topk_union(a, b);
	united := united || a || b;
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := 'union '; END IF;
	FOR i IN 1000001..1000040 LOOP added := topk_add(added, i, i); END LOOP;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'add '; END IF;
	SELECT topk_union(s) INTO united FROM (VALUES (a), (b), (a)) t(s);
	SELECT topk_union(s) INTO united FROM unnest(ARRAY[a, b, added]) s;
	SELECT topk_union(s) OVER (ORDER BY n ROWS 1 PRECEDING) INTO united FROM (VALUES (1, a), (2, b), (3, a)) t(n, s);
	PERFORM topk_union(s) OVER (ORDER BY n ROWS 1 PRECEDING) FROM (VALUES (1, a), (2, b), (3, a)) t(n, s);
	IF a::bytea || '\x00' <> a_before OR b::bytea || '\x00' <> b_before THEN changed := changed || 'aggregate '; END IF;
	b := a;
	b := topk_add(b, 2000000) || united;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'assignment '; END IF;
	IF (SELECT count(*) FROM topk_items(a, 100000)) <> (topk_info(a)).counters_used
		OR topk_count(added, 1000040) < 1000040
		OR topk_count(b, 2000000) < 1 THEN changed := changed || 'nothing was done '; END IF;
	IF a::bytea || '\x00' <> a_before THEN changed := changed || 'look-up '; END IF;
	RETURN coalesce(nullif(changed, ''), 'nothing changed');
END
$$ LANGUAGE plpgsql;
SELECT n, variables(topk_agg(v, 10), topk_agg(-v, 10)) FROM (VALUES (3), (9000)) t(n), generate_series(1, n) v GROUP BY n ORDER BY n;
SELECT variables(a.s, b.s) AS stored FROM sketches a, sketches b WHERE a.id = 50 AND b.id = 91;
SELECT n, s::bytea = e AS before, s || d = d || s AS united, (topk_info(topk_add(s, 0))).total - (topk_info(s)).total AS added, s::bytea = e AS after
FROM (SELECT n, topk_agg(v, 10) AS s, topk_agg(-v, 10) AS d, topk_agg(v, 10)::bytea || ''::bytea AS e
	FROM (VALUES (20), (9000)) t(n), generate_series(1, n) v GROUP BY n) t ORDER BY n;

-- Aggregates made by hand, without a final function, hand out their state as it stands:
-- in the working form, and in some plans the very bytes that the next row changes.
-- Text, bytea and every function show it at rest, but for comparisons and hashes, which take
-- its own bytes.
CREATE AGGREGATE working(int, int, bigint) (SFUNC = topk_agg_step, STYPE = topk);
CREATE AGGREGATE working(text, int, bigint, bigint) (SFUNC = topk_agg_step, STYPE = topk);
CREATE AGGREGATE working_union(topk) (SFUNC = topk_union_step, STYPE = topk);
CREATE TABLE states AS
	SELECT n,
		f,
		working(v, 10, f) AS w,
		topk_agg(v, 10, f) AS s
	FROM (VALUES (1), (3), (40), (1000), (3001)) t(n),
		(VALUES (0), (1), (1000000000)) u(f),
		generate_series(1, n) v
	GROUP BY n, f;
SELECT n,
	f,
	pg_column_size(w) > pg_column_size(s) AS is_working,
	w::bytea = s::bytea AND w::text = s::text AND topk_send(w) = topk_send(s) AS out,
	topk_info(w) = topk_info(s) AS info,
	w::text::topk = s AS text,
	w::bytea::topk = s AS bytea,
	topk_agg_final(w) = s AND topk_union_final(w) = s AS final,
	topk_add(w, -1) = topk_add(s, -1) AND topk_add(w, 1, 5) = topk_add(s, 1, 5) AS added,
	topk_add(w, NULL) = s AND topk_add(w, 1, 0) = s AS nothing_added,
	w || topk_empty(10) = s AND topk_empty(10) || w = s AND w || w = s || s AND w || s = s || s AND s || w = s || s AS united,
	w || '\x611000' = s AND '\x611000' || w = s AS bare, topk_count(w, 1) = topk_count(s, 1) AND topk_count(w, -1) = topk_count(s, -1) AS counts,
	(SELECT array_agg(i) FROM topk_items(w, 20) i) IS NOT DISTINCT FROM (SELECT array_agg(i) FROM topk_items(s, 20) i) AS items
FROM states ORDER BY n, f;
SELECT bool_and(w <> s AND topk_cmp(w, s) <> 0 AND topk_hash(w) <> topk_hash(s)) AS other_bytes,
	bool_and(w = w AND topk_cmp(w, w) = 0 AND topk_agg_final(w) = s) AS at_rest
FROM states WHERE f > 0;
SELECT bool_and(topk_count((SELECT w FROM states o WHERE (o.n, o.f) = (t.n, t.f)), v) = topk_count(s, v)) AS subquery FROM states t, generate_series(1, 50) v;
SELECT bool_and(topk_count(w, v) = v) AS in_memory FROM (SELECT working(v, 10, v) AS w FROM generate_series(1, 25) v) t, generate_series(1, 25) v;
SELECT topk_union(w ORDER BY n, f) = topk_union(s ORDER BY n, f) AS aggregate,
	topk_union(CASE WHEN n % 2 = 0 THEN w ELSE s END ORDER BY n, f) = topk_union(s ORDER BY n, f) AS mixed,
	working_union(w ORDER BY n, f) = topk_union(s ORDER BY n, f) AS by_hand,
	working_union(s ORDER BY n, f) = topk_union(s ORDER BY n, f) AS by_hand_at_rest
FROM states;
SELECT error_of('SELECT w || topk_empty(11) FROM states') AS parameters, error_of('SELECT topk_count(w, ''a'') FROM states') AS kind,
	error_of('SELECT topk_union(w) FROM (SELECT w FROM states UNION ALL SELECT topk_empty(10, 5)) t') AS seed;
SELECT bool_and(seen::bytea::topk = expected) AS own_rows, bool_and(before::bytea::topk = expected_before) AS lag
FROM (SELECT seen, expected, lag(seen) OVER (ORDER BY v) AS before, lag(expected) OVER (ORDER BY v) AS expected_before
	FROM (SELECT v, working(v, 10, v) OVER w AS seen, topk_agg(v, 10, v) OVER w AS expected FROM generate_series(1, 400) v WINDOW w AS (ORDER BY v)) t) u;
-- Its bytes are never taken from outside.
SELECT error_of(format('SELECT %L::topk', set_byte(s::bytea, 1, 17))) AS form FROM states WHERE n = 40 AND f = 1;

-- In line with a short or a long length word, and out of line.
CREATE TABLE stored (n int, external topk, extended topk, plain topk);
ALTER TABLE stored ALTER extended SET STORAGE extended, ALTER plain SET STORAGE plain;
INSERT INTO stored SELECT n,
	topk_agg(v, 10),
	topk_agg(v, 10),
	CASE WHEN n <= 300 THEN topk_agg(v, 10) END
FROM (VALUES (1), (40), (300), (9000)) t(n),
	generate_series(1, n) v
GROUP BY n;
SELECT n,
	external = extended AS equal,
	coalesce(plain = external, n > 300) AS plain,
	topk_count(external, 1) = topk_count(extended, 1) AS count,
	external || extended = external || external AS union,
	topk_add(extended, 1) = topk_add(external, 1) AS add,
	(topk_info(external)).bytes = (topk_info(extended)).bytes AS bytes,
	external::bytea = extended::bytea AS bytea,
	topk_hash(external) = topk_hash(extended) AS hash,
	(SELECT array_agg(i) FROM topk_items(external) i) = (SELECT array_agg(i) FROM topk_items(extended) i) AS items
FROM stored ORDER BY n;
SELECT attname, attstorage FROM pg_attribute WHERE attrelid = 'stored'::regclass AND attname = 'external';
-- What changes nothing is stored as it is, without being read and written anew.
SELECT pg_relation_size(reltoastrelid) AS before FROM pg_class WHERE oid = 'stored'::regclass \gset
UPDATE stored SET external = topk_add(external, NULL);
UPDATE stored SET external = topk_add(external, 5, 0);
UPDATE stored SET external = external || '\x611000';
SELECT pg_relation_size(reltoastrelid) = :before AS same FROM pg_class WHERE oid = 'stored'::regclass;

-- What look-ups keep of a stored sketch lasts no longer than it is sure to be the same.
CREATE FUNCTION add_and_look(first int, n int) RETURNS text AS $$
DECLARE
	wrong int := 0;
BEGIN
	FOR v IN first..first + n - 1 LOOP
		UPDATE sketches SET s = topk_add(s, v, 1000000) WHERE id = 50;
		wrong := wrong + (topk_count((SELECT s FROM sketches WHERE id = 50),
			v) < 1000000)::int + ((SELECT topk_count(s, v)
			FROM sketches
			WHERE id = 50) < 1000000)::int
			+ ((SELECT topk_count(s, v + 1)
				FROM sketches
				WHERE id = 50) >= 1000000)::int + ((SELECT item
				FROM sketches,
				topk_items(s, 1)
				WHERE id = 50 AND count >= 1000000) IS NULL)::int;
	END LOOP;
	RETURN wrong || ' wrong';
END
$$ LANGUAGE plpgsql;
SELECT add_and_look(50001, 50);
BEGIN;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE topk_count((SELECT s FROM sketches WHERE id = 50), v) >= 1000000;
SAVEPOINT a;
UPDATE sketches SET s = s || (SELECT topk_agg(v, 10, 1000000) FROM generate_series(50051, 50070) v) WHERE id = 50;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE topk_count((SELECT s FROM sketches WHERE id = 50), v) >= 1000000;
ROLLBACK TO a;
SELECT count(*) FROM generate_series(50001, 50100) v WHERE topk_count((SELECT s FROM sketches WHERE id = 50), v) >= 1000000;
COMMIT;

-- COPY in text form, there and back.
CREATE TABLE copied (id int, s topk);
COPY (SELECT id, s FROM sketches WHERE id IN (0, 1, 3) ORDER BY id) TO STDOUT;
COPY copied FROM STDIN;
1	\\x6110020a030343e2ee915cc68620010001322e79db643559bc2f010001317d2ef4c12920924d01000133
2	\N
\.
SELECT id, topk_count(s, 1) AS n FROM copied ORDER BY id;

SET client_min_messages = warning;
DROP SCHEMA usage CASCADE;
