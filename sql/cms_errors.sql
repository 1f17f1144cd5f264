-- Every error that a call about a cms can raise: its SQLSTATE, its words, its
-- hint. Malformed bytes have a test of their own.

\i test/sql/fails.sql
CREATE FUNCTION pg_temp.error(command text) RETURNS text AS $$
BEGIN
	EXECUTE 'SELECT ' || command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;

-- Epsilon and delta out of range, and both.
CALL pg_temp.fails('SELECT cms_empty(0, 0.01)');
CALL pg_temp.fails('SELECT cms_empty(0.001, 1)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_empty(1, 0.01)'),
	(2, 'cms_empty(-0.001, 0.01)'),
	(3, 'cms_empty(''-0'', 0.01)'),
	(4, 'cms_empty(1.5, 0.01, 5)'),
	(5, 'cms_empty(''NaN'', 0.01)'),
	(6, 'cms_empty(''Infinity'', 0.01)'),
	(7, 'cms_empty(''-Infinity'', 0.01)'),
	(8, 'cms_empty(0.001, 0)'),
	(9, 'cms_empty(0.001, -1)'),
	(10, 'cms_empty(0.001, ''NaN'')'),
	(11, 'cms_empty(0.001, ''inf'', 5)'),
	(12, 'cms_empty(''NaN'', 7)'),
	(13, 'cms_agg(1, 0, 0.01)'),
	(14, 'cms_agg(1, 0.001, 1)'),
	(15, 'cms_agg(1, 5, 1::float8, 0.01)'),
	(16, 'cms_agg(''a''::text, 5, 0.001, 0::float8, 5)'),
	(17, 'cms_agg(1, ''NaN'', 0.01::float8) OVER ()'),
	(18, 'cms_agg(now(), 1, 0.001, ''inf''::float8)'),
	(19, 'cms_agg(1, 0, 2::float8, 0.01)')) t(n, call)
ORDER BY n;
SELECT (cms_info(cms_empty(1 - 1e-16, 1 - 1e-16))).width AS nearly_one, (cms_info(cms_empty(0.9, 5e-324))).depth AS nearly_zero;
-- More than 256 MB of counters: refused before memory is taken; what is just smaller is not.
CALL pg_temp.fails('SELECT cms_empty(1e-9, 0.01)');
CALL pg_temp.fails('SELECT cms_agg(''a''::text, 1, 5e-324, 0.5, 5)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_empty(8.1e-8, 0.5)'),
	(2, 'cms_empty(4.05e-7, 0.01)'),
	(3, 'cms_empty(0.00005, 1e-300)'),
	(4, 'cms_agg(1, 1e-12, 0.1)'),
	(5, 'cms_agg(v, 1e-12, 0.1) FROM generate_series(1, 0) v')) t(n, call)
ORDER BY n;
SELECT width, depth FROM cms_info(cms_empty(8.102e-8, 0.5));
SELECT width, depth, total FROM cms_info((SELECT cms_agg(v, 4.06e-7, 0.01) FROM generate_series(1, 3) v));

-- Weights.
CALL pg_temp.fails('SELECT cms_agg(v, -1) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_add(cms_empty(), 1, -9223372036854775808)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_agg(v, 2 - v) FROM generate_series(1, 3) v'),
	(2, 'cms_agg(''a''::text, -5, 0.1, 0.1)'),
	(3, 'cms_agg(''a''::text, -5, 0.1, 0.1, 7) OVER ()'),
	(4, 'cms_agg(1, -5, 7::float8, 0.1)'),
	(5, 'cms_add(cms_empty(0.1, 0.1), ''a'', -1)'),
	(6, 'cms_add(cms_empty(), NULL, -1)'),
	(7, 'cms_agg(NULL::int, -1)'),
	(8, 'cms_agg(1, 9223372036854775808)'),
	(9, 'cms_agg(1, 1.5)'),
	(10, 'cms_add(cms_empty(), 1, 1.5)')) t(n, call)
ORDER BY n;

-- Parameters that are NULL. A function is NULL for a NULL argument.
CALL pg_temp.fails('SELECT cms_agg(1, NULL, 0.01)');
CALL pg_temp.fails('SELECT cms_agg(1, 0.001, NULL)');
CALL pg_temp.fails('SELECT cms_agg(1, 1, NULL, NULL)');
CALL pg_temp.fails('SELECT cms_agg(1, 1, 0.001, NULL)');
CALL pg_temp.fails('SELECT cms_agg(1, 1, 0.001, 0.01, NULL)');
CALL pg_temp.fails('SELECT cms_agg(''a''::text, 1, NULL, NULL, 5) OVER ()');
SELECT cms_empty(NULL, 0.01) IS NULL AND cms_empty(0.01, NULL) IS NULL AND cms_empty(0.01, 0.01, NULL) IS NULL AS functions;

-- Parameters that change within a group; where there is no value or no weight, none are read.
CALL pg_temp.fails('SELECT cms_agg(v, 0.1 / v, 0.1) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, 0.1, 0.1 / v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, 1, 0.1, 0.1, v - 2) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, CASE v WHEN 3 THEN NULL ELSE 0.1 END, 0.1) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, 0.1, CASE v WHEN 3 THEN ''NaN'' ELSE 0.1 END) OVER (ORDER BY v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, 0.1, CASE v WHEN 1 THEN 0.3 ELSE 0.1::float8 + 0.2::float8 END) FROM generate_series(1, 2) v');
-- Also where the number of counters stays the same, and after many values.
CALL pg_temp.fails('SELECT cms_agg(v, 0.1, CASE v WHEN 3 THEN 0.11 ELSE 0.1 END) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT cms_agg(v, 1, CASE v WHEN 5000 THEN 0.01 ELSE 0.001 END, 0.01) FROM generate_series(1, 5000) v');
SELECT cms_agg(v, w, e, d, s) = cms_add(cms_add(cms_empty(0.1, 0.2, 5), 1), 2) AS changes_without_a_value
FROM (VALUES (NULL, 1, 0.9, 0.2, 1), (1, 1, 0.1, 0.2, 5), (NULL, NULL, NULL, NULL, NULL), (2, 1, 0.1, 0.2, 5), (NULL, -1, 7, 7, 6), (3, NULL, 7, NULL, 6)) t(v, w, e, d, s);
SELECT (cms_info(cms_agg(v, 0.1 + v % 2 * 0.1, 0.1))).epsilon AS one_for_each_group FROM generate_series(1, 10) v GROUP BY v % 2 ORDER BY 1;

-- The end of bigint, with operands that are left as they were.
CREATE TEMP TABLE full_ones AS
	SELECT cms_agg(v, 9223372036854775807) FILTER (WHERE v = 1) AS one, cms_agg(v, 4611686018427387904) FILTER (WHERE v = 1) AS half, cms_agg(v, 9223372036854770000, 0.9, 0.5) FILTER (WHERE v = 1) AS narrow,
		cms_agg(v, 1000) AS many, cms_agg(v, 1000, 0.9, 0.5) AS many_narrow
	FROM generate_series(1, 5000) v;
CALL pg_temp.fails('SELECT cms_add(one, 1) FROM full_ones');
CALL pg_temp.fails('SELECT cms_agg(v, 9223372036854775807) FROM generate_series(1, 2) v');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_add(one, 2) FROM full_ones'),
	(2, 'cms_add(one, 1, 9223372036854775807) FROM full_ones'),
	(3, 'half || half FROM full_ones'),
	(4, 'cms_union(one, half) FROM full_ones'),
	(5, 'one || many FROM full_ones'),
	(6, 'many || one FROM full_ones'),
	(7, 'narrow || many_narrow FROM full_ones'),
	(8, 'many_narrow || narrow FROM full_ones'),
	(9, 'cms_add(narrow, 2, 10000) FROM full_ones'),
	(10, 'cms_add(many, 1, 9223372036854775807) FROM full_ones'),
	(11, 'cms_union(u) FROM full_ones, LATERAL (VALUES (half), (half)) t(u)'),
	(12, 'cms_union(u) FROM full_ones, LATERAL (VALUES (many), (one)) t(u)'),
	(13, 'cms_union(u) OVER (ORDER BY n ROWS 1 PRECEDING) FROM full_ones, LATERAL (VALUES (1, many), (2, half), (3, half)) t(n, u)'),
	(14, 'cms_agg(v, 4611686018427387904, 0.9, 0.5) FROM generate_series(1, 2) v'),
	(15, 'cms_agg(v, CASE v WHEN 5000 THEN 9223372036854775807 ELSE 1 END) FROM generate_series(1, 5000) v'),
	(16, 'cms_agg(v, CASE v WHEN 1 THEN 9223372036854775807 ELSE 1 END) FROM generate_series(1, 5000) v'),
	(17, 'cms_agg(v, 9223372036854775807) FROM generate_series(1, 2) v GROUP BY v'),
	(18, 'cms_add(one, 1, 0) = one AND one || cms_empty() = one AND one || cms_empty(0.001, 0.01) = one FROM full_ones')) t(n, call)
ORDER BY n;
CREATE FUNCTION pg_temp.left_alone(a cms, b cms) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	errors int := 0;
BEGIN
	BEGIN a := a || b; EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN b := cms_union(b, a); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN a := cms_add(a, 1, 9223372036854775807); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN a := (SELECT cms_union(u) FROM (VALUES (a), (b)) t(u)); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	RETURN format('%s errors, %s', errors, CASE WHEN a::bytea || '\x00' = a_before AND b::bytea || '\x00' = b_before THEN 'unchanged' ELSE 'changed' END);
END
$$ LANGUAGE plpgsql;
SELECT pg_temp.left_alone(one, half) AS sparse, pg_temp.left_alone(many, one) AS packed, pg_temp.left_alone(narrow, many_narrow) AS narrow FROM full_ones;
CALL pg_temp.fails('SELECT cms_inner_product(one, half) FROM full_ones');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_inner_product(one, one) FROM full_ones'),
	(2, 'cms_inner_product(many_narrow, narrow) FROM full_ones'),
	(3, 'cms_inner_product(cms_agg(1, 3037000500), cms_agg(1, 3037000500))'),
	(4, 'cms_inner_product(one, cms_agg(1)) FROM full_ones GROUP BY one'),
	(5, 'cms_inner_product(one, cms_agg(2)) FROM full_ones GROUP BY one')) t(n, call)
ORDER BY n;

-- Sketches that do not go together: epsilon and delta, then seed, then kind of value.
CREATE TEMP TABLE sketches AS
	SELECT cms_agg(v, 0.1, 0.1) AS c, cms_agg(v, 0.11, 0.1) AS epsilon, cms_agg(v, 0.1, 0.11) AS delta, cms_agg(v, 1, 0.1, 0.1, 5) AS seed,
		cms_agg(v::text, 0.1, 0.1) AS kind, cms_agg(ARRAY[v], 0.1, 0.1) AS arrays, cms_agg(v::text, 1, 0.11, 0.1, 5) AS all, cms_agg(v::text, 1, 0.1, 0.1, 5) AS seed_and_kind
	FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT c || epsilon FROM sketches');
CALL pg_temp.fails('SELECT cms_union(c, delta) FROM sketches');
CALL pg_temp.fails('SELECT cms_union(c, seed) FROM sketches');
CALL pg_temp.fails('SELECT c || kind FROM sketches');
CALL pg_temp.fails('SELECT c || "all" FROM sketches');
CALL pg_temp.fails('SELECT c || seed_and_kind FROM sketches');
CALL pg_temp.fails('SELECT cms_inner_product(c, epsilon) FROM sketches');
CALL pg_temp.fails('SELECT cms_inner_product(seed, c) FROM sketches');
CALL pg_temp.fails('SELECT cms_inner_product(kind, c) FROM sketches');
CALL pg_temp.fails('SELECT cms_union(u) FROM sketches, LATERAL (VALUES (c), (epsilon)) t(u)');
CALL pg_temp.fails('SELECT cms_union(u) FROM sketches, LATERAL (VALUES (''\x511000''), (c), (seed)) t(u)');
CALL pg_temp.fails('SELECT cms_union(u) FROM sketches, LATERAL (VALUES (cms_empty(0.1, 0.1)), (c), (kind)) t(u)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_empty(0.1, 0.1) || cms_empty(0.2, 0.1)'),
	(2, 'cms_empty(0.1, 0.1) || cms_empty(0.1, 0.1, -1)'),
	(3, 'cms_union(c || cms_empty(0.2, 0.1)) FROM sketches'),
	(4, 'cms_empty(0.1, 0.1, 9223372036854775807) || c FROM sketches'),
	(5, 'kind || arrays FROM sketches'),
	(6, 'cms_union(u) OVER () FROM sketches, LATERAL (VALUES (c), (delta)) t(u)'),
	(7, 'cms_union(u) OVER (ORDER BY n ROWS 1 PRECEDING) FROM sketches, LATERAL (VALUES (1, c), (2, seed)) t(n, u)'),
	(8, 'cms_union(u) OVER (ORDER BY n ROWS 1 PRECEDING) FROM sketches, LATERAL (VALUES (1, kind), (2, arrays)) t(n, u)'),
	(9, 'cms_inner_product(cms_empty(0.1, 0.1), cms_empty(0.1, 0.2))'),
	(10, 'c || cms_empty(0.1, 0.1) = c AND cms_empty(0.1, 0.1) || kind = kind FROM sketches'),
	(11, 'cms_inner_product(c, cms_empty(0.1, 0.1)) FROM sketches')) t(n, call)
ORDER BY n;

-- A value of another kind: by cms_count and by cms_add.
CALL pg_temp.fails('SELECT cms_count(c, ''a'') FROM sketches');
CALL pg_temp.fails('SELECT cms_add(c, 1.0) FROM sketches');
CREATE TEMP TABLE stored AS SELECT cms_agg(v) AS c FROM generate_series(1, 5000) v;
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_count(kind, 1) FROM sketches'),
	(2, 'cms_count(kind, ''x''::"char") FROM sketches'),
	(3, 'cms_count(c, ARRAY[1]) FROM sketches'),
	(4, 'cms_count(c, 1.0) FROM stored'),
	(5, 'cms_count((SELECT c FROM stored), v::text) FROM generate_series(1, 100) v'),
	(6, 'cms_add(kind, 1) FROM sketches'),
	(7, 'cms_add(c, ''a'', 5) FROM stored'),
	(8, 'cms_add(c, ''a'', 0) FROM stored'),
	(9, 'cms_add(arrays, ''{a}''::text[]) FROM sketches'),
	(10, 'cms_add(c, ROW(1)) FROM sketches'),
	(11, 'cms_count(cms_empty(), 1), cms_count(cms_empty(0.1, 0.1), ''a'')')) t(n, call)
ORDER BY n;
-- The way out that the hint names.
SELECT cms_count(kind, 1::text) AS cast, cms_count(c, 1.0::int) AS cast_too FROM sketches;
SELECT pg_temp.error('cms_empty(0.1)') AS half, pg_temp.error('cms_agg(1, 1, 0.1)') AS weight_as_epsilon, pg_temp.error('cms_agg(1, 0.1)') AS epsilon_alone;

-- Step functions write into their first argument, and so belong to aggregates alone.
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_agg_step(NULL, 1)'),
	(2, 'cms_agg_step(c, NULL::int) FROM sketches'),
	(3, 'cms_agg_step(c, 1, 5, 0.1, 0.1) FROM sketches'),
	(4, 'cms_agg_step(c, ''a'', 5, 0.1, 0.1, 0) FROM sketches'),
	(5, 'cms_union_step(c, c) FROM sketches'),
	(6, 'cms_union_step(NULL, NULL)'),
	(7, 'cms_union(cms_union_step(c, c)) FROM sketches'),
	(8, 'cms_frame_step(NULL, c) FROM sketches'),
	(9, 'cms_frame_inverse(NULL, c) FROM sketches'),
	(10, 'cms_frame_final(NULL)')) t(n, call)
ORDER BY n;
-- Final functions write nothing: anybody may call them.
SELECT cms_agg_final(c) = c AND cms_union_final(c) = c AS same, cms_agg_final(NULL) AS nothing, cms_union_final(NULL) IS NULL AS no_sketch FROM sketches;
-- What a window frame keeps is of no use to an aggregate without one.
CREATE AGGREGATE pg_temp.frames(cms) (SFUNC = cms_frame_step, STYPE = internal, FINALFUNC = cms_frame_final);
CALL pg_temp.fails('SELECT pg_temp.frames(c) FROM sketches');
SELECT pg_temp.frames(c) OVER () = c AS in_a_window FROM sketches;
-- An aggregate made by hand may begin with a sketch, which every value must go with.
DO $$ BEGIN
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(int, float8, float8) (SFUNC = cms_agg_step, STYPE = cms, FINALFUNC = cms_agg_final, INITCOND = %L)', cms_agg(1, 0.1, 0.1));
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(text, float8, float8) (SFUNC = cms_agg_step, STYPE = cms, FINALFUNC = cms_agg_final, INITCOND = %L)', cms_agg(1, 0.1, 0.1));
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_many(int) (SFUNC = cms_agg_step, STYPE = cms, FINALFUNC = cms_agg_final, INITCOND = %L)', (SELECT c FROM stored));
	CREATE AGGREGATE pg_temp.onto_none(int) (SFUNC = cms_agg_step, STYPE = cms, FINALFUNC = cms_agg_final, INITCOND = '\x511000');
END $$;
SELECT pg_temp.onto_one(v, 0.1, 0.1) = cms_add(cms_agg(v, 0.1, 0.1), 1) AS from_one, pg_temp.onto_none(v) = cms_agg(v) AS from_none,
	pg_temp.onto_many(v) = (SELECT c FROM stored) || cms_agg(v) AS from_many, pg_temp.onto_many(NULL) = (SELECT c FROM stored) AS nothing
FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT pg_temp.onto_one(''a'', 0.1, 0.1)');
CALL pg_temp.fails('SELECT pg_temp.onto_one(1, 0.2, 0.1)');

-- What can't be put into a sketch is refused, whichever way.
CREATE COLLATION pg_temp.nd (PROVIDER = icu, LOCALE = 'und', DETERMINISTIC = false);
CALL pg_temp.fails('SELECT cms_count(kind, ''1'' COLLATE pg_temp.nd) FROM sketches');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'cms_agg(v COLLATE pg_temp.nd) FROM (VALUES (''a''), (''b'')) t(v)'),
	(2, 'cms_agg(v COLLATE pg_temp.nd, 5, 0.1, 0.1, 5) OVER () FROM (VALUES (''a''), (''b'')) t(v)'),
	(3, 'cms_agg(ARRAY[v COLLATE pg_temp.nd], 5) FROM (VALUES (''a''), (''b'')) t(v)'),
	(4, 'cms_add(kind, ''a'' COLLATE pg_temp.nd) FROM sketches'),
	(5, 'cms_count(c, ROW(''a'' COLLATE pg_temp.nd)) FROM stored'),
	(6, 'cms_agg(''{}''::json)'),
	(7, 'cms_agg(point ''(0,0)'', 0.1, 0.1)'),
	(8, 'cms_add(cms_empty(), ''{}''::json)'),
	(9, 'cms_count(cms_empty(), ''pg_class''::regclass)'),
	(10, 'cms_agg(c, 5) FROM sketches')) t(n, call)
ORDER BY n;
SELECT cms_agg(v COLLATE "C") = cms_agg(v) AS collate, cms_agg(NULL::json) AS null_of_no_image, cms_count(cms_agg(v), 'a' COLLATE "und-x-icu") AS other_collation,
	cms_count(cms_empty(), NULL::json) IS NULL AS null
FROM (VALUES ('a'), ('b')) t(v);

-- NULL everywhere else.
SELECT bool_and(result IS NULL) AS all_null, count(*) FROM sketches, LATERAL (VALUES
	(cms_total(NULL)::text), (cms_union(NULL, c)::text), (cms_union(c, NULL)::text), ((NULL || c)::text), ((c || NULL)::text),
	(cms_add(NULL, 1)::text), (cms_add(NULL, NULL)::text), (cms_add(NULL, 1, -1)::text), (cms_count(NULL, 1)::text), (cms_count(c, NULL)::text),
	(cms_inner_product(c, NULL)::text), (cms_inner_product(NULL, c)::text), (cms_info(NULL)::text), (NULL::cms::bytea::text), (NULL::bytea::cms::text),
	((NULL::cms = c)::text), (cms_cmp(NULL, NULL)::text), (cms_hash(NULL)::text)) t(result);
-- After any of these the session is as good as new.
SELECT cms_count(cms_agg(v, 2), 2) AS good FROM generate_series(1, 3) v;

-- Sketches are no values: what to do instead.
CALL pg_temp.fails('SELECT hll_agg(c) FROM (VALUES (cms_empty())) t(c)');
CALL pg_temp.fails('SELECT cms_agg(h) FROM (VALUES (hll_empty())) t(h)');
CALL pg_temp.fails('SELECT cms_count(cms_empty(), f) FROM (VALUES (bloom_empty(1, 0.1))) t(f)');
