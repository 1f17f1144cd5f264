-- Every error that a call about a topk can raise: its SQLSTATE, its words, its hint.
-- Malformed bytes have a test of their own.

\i test/sql/fails.sql
CREATE FUNCTION pg_temp.error(command text) RETURNS text AS $$
BEGIN
	EXECUTE 'SELECT ' || command;
	RETURN 'no error';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END
$$ LANGUAGE plpgsql;

-- k out of range.
CALL pg_temp.fails('SELECT topk_empty(0)');
CALL pg_temp.fails('SELECT topk_agg(1, 10001)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_empty(-1)'),
	(2, 'topk_empty(10001)'),
	(3, 'topk_empty(2147483647, 5)'),
	(4, 'topk_empty(-2147483648)'),
	(5, 'topk_agg(1, 0)'),
	(6, 'topk_agg(1, -1, 5)'),
	(7, 'topk_agg(''a''::text, 0, 5, 7) OVER ()'),
	(8, 'topk_agg(1, 2147483647)'),
	(9, 'topk_agg(1, 2147483648)'),
	(10, 'topk_agg(1, 1.5)'),
	(11, 'topk_agg(1)'),
	(12, 'topk_empty()'),
	(13, 'topk_agg(1, 1), topk_agg(1, 10000), topk_empty(1), topk_empty(10000)')) t(n, call)
ORDER BY n;

-- Weights.
CALL pg_temp.fails('SELECT topk_agg(v, 5, -1) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT topk_add(topk_empty(5), 1, -9223372036854775808)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_agg(v, 5, 2 - v) FROM generate_series(1, 3) v'),
	(2, 'topk_agg(''a''::text, 5, -5, 7) OVER ()'),
	(3, 'topk_agg(1, 0, -5)'),
	(4, 'topk_add(topk_empty(5), ''a'', -1)'),
	(5, 'topk_add(topk_empty(5), NULL, -1)'),
	(6, 'topk_agg(NULL::int, 5, -1)'),
	(7, 'topk_agg(1, 5, 9223372036854775808)'),
	(8, 'topk_agg(1, 5, 1.5)'),
	(9, 'topk_add(topk_empty(5), 1, 1.5)')) t(n, call)
ORDER BY n;

-- Parameters that are NULL. A function is NULL for a NULL argument.
CALL pg_temp.fails('SELECT topk_agg(1, NULL)');
CALL pg_temp.fails('SELECT topk_agg(1, NULL, 1)');
CALL pg_temp.fails('SELECT topk_agg(''a''::text, 5, 1, NULL)');
CALL pg_temp.fails('SELECT topk_agg(''a''::text, NULL, 1, 5) OVER ()');
SELECT topk_empty(NULL) IS NULL AND topk_empty(NULL, 5) IS NULL AND topk_empty(5, NULL) IS NULL AS functions;

-- Parameters that change within a group; where there is no value or no weight, none are read.
CALL pg_temp.fails('SELECT topk_agg(v, 10 * v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT topk_agg(v, 10, 1, v - 2) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT topk_agg(v, CASE v WHEN 3 THEN NULL ELSE 5 END) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT topk_agg(v, CASE v WHEN 3 THEN 0 ELSE 5 END) OVER (ORDER BY v) FROM generate_series(1, 3) v');
-- Also where the number of counters stays the same, and after many values.
CALL pg_temp.fails('SELECT topk_agg(v, CASE v WHEN 5000 THEN 99 ELSE 100 END) FROM generate_series(1, 5000) v');
CALL pg_temp.fails('SELECT topk_agg(v, 5, 1, CASE v WHEN 5000 THEN 1 ELSE 0 END) FROM generate_series(1, 5000) v');
SELECT topk_agg(v, k, w, s) = topk_add(topk_add(topk_empty(7, 5), 1), 2) AS changes_without_a_value
FROM (VALUES (NULL, 9, 1, 1), (1, 7, 1, 5), (NULL, NULL, NULL, NULL), (2, 7, 1, 5), (NULL, 7, -1, 6), (3, NULL, NULL, 6)) t(v, k, w, s);
SELECT (topk_info(topk_agg(v, 5 + v % 2))).k AS one_for_each_group FROM generate_series(1, 10) v GROUP BY v % 2 ORDER BY 1;

-- The end of bigint, with operands that are left as they were.
CREATE TEMP TABLE full_ones AS
	SELECT topk_agg(v, 5, 9223372036854775807) FILTER (WHERE v = 1) AS one,
		topk_agg(v, 5, 4611686018427387904) FILTER (WHERE v = 1) AS half,
		topk_agg(v, 5, 1000) AS many
	FROM generate_series(1, 5000) v;
CALL pg_temp.fails('SELECT topk_add(one, 1) FROM full_ones');
CALL pg_temp.fails('SELECT topk_agg(v, 5, 9223372036854775807) FROM generate_series(1, 2) v');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_add(one, 2) FROM full_ones'),
	(2, 'topk_add(one, 1, 9223372036854775807) FROM full_ones'),
	(3, 'half || half FROM full_ones'),
	(4, 'topk_union(one, half) FROM full_ones'),
	(5, 'one || many FROM full_ones'),
	(6, 'many || one FROM full_ones'),
	(7, 'topk_add(many, 1, 9223372036854775807) FROM full_ones'),
	(8, 'topk_add(many, 77777, 9223372036854775807) FROM full_ones'),
	(9, 'topk_union(u) FROM full_ones, LATERAL (VALUES (half), (half)) t(u)'),
	(10, 'topk_union(u) FROM full_ones, LATERAL (VALUES (many), (one)) t(u)'),
	(11, 'topk_union(u) OVER (ORDER BY n ROWS 1 PRECEDING) FROM full_ones, LATERAL (VALUES (1, many), (2, half), (3, half)) t(n, u)'),
	(12, 'topk_agg(1, 5, 4611686018427387904) FROM generate_series(1, 2) v'),
	(13, 'topk_agg(v, 5, CASE v WHEN 5000 THEN 9223372036854775807 ELSE 1 END) FROM generate_series(1, 5000) v'),
	(14, 'topk_agg(v, 5, CASE v WHEN 1 THEN 9223372036854775807 ELSE 1 END) FROM generate_series(1, 5000) v'),
	(15, 'topk_agg(v, 5, 9223372036854775807) FROM generate_series(1, 2) v GROUP BY v'),
	(16, 'topk_add(one, 1, 0) = one AND one || ''\x611000'' = one AND one || topk_empty(5) = one FROM full_ones')) t(n, call)
ORDER BY n;
CREATE FUNCTION pg_temp.left_alone(a topk, b topk) RETURNS text AS $$
DECLARE
	a_before bytea := a::bytea || '\x00';
	b_before bytea := b::bytea || '\x00';
	errors int := 0;
BEGIN
	BEGIN a := a || b; EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN b := topk_union(b, a); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN a := topk_add(a, 1, 9223372036854775807); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	BEGIN a := (SELECT topk_union(u) FROM (VALUES (a), (b)) t(u)); EXCEPTION WHEN numeric_value_out_of_range THEN errors := errors + 1; END;
	RETURN format('%s errors, %s', errors, CASE WHEN a::bytea || '\x00' = a_before AND b::bytea || '\x00' = b_before THEN 'unchanged' ELSE 'changed' END);
END
$$ LANGUAGE plpgsql;
SELECT pg_temp.left_alone(one, half) AS small, pg_temp.left_alone(many, one) AS large FROM full_ones;

-- Values that are too long, one by one and all together; what is just short enough is not.
CALL pg_temp.fails('SELECT topk_agg(repeat(''x'', 10241), 5)');
CALL pg_temp.fails('SELECT topk_add(topk_empty(5), repeat(''x'', 1000000))');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_agg(repeat(''x'', 10240), 5)'),
	(2, 'topk_add(topk_empty(5), repeat(''x'', 10240))'),
	(3, 'topk_agg(repeat(U&''\4E9C'', 3414), 5)'),
	(4, 'topk_agg(repeat(U&''\4E9C'', 3413), 5)'),
	(5, 'topk_agg(decode(repeat(''00'', 5119), ''hex''), 5)'),
	(6, 'topk_agg(decode(repeat(''00'', 5120), ''hex''), 5)'),
	(7, 'topk_agg(array_fill(1, ARRAY[6000]), 5)'),
	(8, 'topk_agg(ROW(repeat(''x'', 10237), 1), 5)'),
	(9, 'topk_agg(CASE v WHEN 2000 THEN repeat(''x'', 20000) ELSE v::text END, 5) FROM generate_series(1, 3000) v'),
	(10, 'topk_agg(repeat(''x'', 20000), 5, 0)'),
	(11, 'topk_agg(repeat(''x'', 20000), 5, NULL)'),
	-- One value, of which a shorter text is there already, or of which it would stay.
	(12, 'topk_agg(v::numeric, 5 ORDER BY length(v)) FROM (VALUES (''1.5''), (''1.5'' || repeat(''0'', 11000))) t(v)'),
	(13, 'topk_agg(v::numeric, 5 ORDER BY length(v) DESC) FROM (VALUES (''1.5''), (''1.5'' || repeat(''0'', 11000))) t(v)'),
	(14, 'topk_count(topk_agg(''a''::text, 5), repeat(''x'', 20000))')) t(n, call)
ORDER BY n;
-- 6,711 texts of 10,000 bytes are more than 64 MB, which are 67,108,864 bytes.
CALL pg_temp.fails('SELECT topk_agg(v || repeat(''x'', 9996), 700) FROM generate_series(1001, 7711) v');
SELECT (topk_info(topk_agg(v || repeat('x', 9996), 700))).counters_used FROM generate_series(1001, 7710) v;
CREATE TEMP TABLE long_ones AS SELECT topk_agg(v || repeat('x', 9996), 700) FILTER (WHERE v <= 4000) AS a,
	topk_agg(v || repeat('x', 9996), 700) FILTER (WHERE v > 4000) AS b,
	topk_agg(v || repeat('x', 9996), 700) FILTER (WHERE v > 4000 AND v < 7711) AS c FROM generate_series(1001, 7711) v;
CALL pg_temp.fails('SELECT a || b FROM long_ones');
CALL pg_temp.fails('SELECT topk_union(u) FROM long_ones, LATERAL (VALUES (a), (b)) t(u)');
CALL pg_temp.fails('SELECT topk_add(a || c, ''7711'' || repeat(''x'', 9996)) FROM long_ones');
SELECT (topk_info(a || c)).counters_used AS just_enough,
	topk_count(topk_add(a || c, '7710' || repeat('x', 9996)), '7710' || repeat('x', 9996)) AS one_of_them
FROM long_ones;
-- Where all counters are taken a value goes for one that comes, and with it its text.
SELECT counters_used, max_error FROM topk_info((SELECT topk_agg(v || repeat('x', 9996), 5) FROM generate_series(1001, 8000) v));

-- Sketches that do not go together: k, then seed, then kind of value.
CREATE TEMP TABLE sketches AS
	SELECT topk_agg(v, 10) AS s,
		topk_agg(v, 11) AS k,
		topk_agg(v, 10, 1, 5) AS seed,
		topk_agg(v::text, 10) AS kind,
		topk_agg(ARRAY[v], 10) AS arrays,
		topk_agg(v::text, 11, 1, 5) AS all,
		topk_agg(v::text, 10, 1, 5) AS seed_and_kind
	FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT s || k FROM sketches');
CALL pg_temp.fails('SELECT topk_union(s, seed) FROM sketches');
CALL pg_temp.fails('SELECT s || kind FROM sketches');
CALL pg_temp.fails('SELECT s || "all" FROM sketches');
CALL pg_temp.fails('SELECT s || seed_and_kind FROM sketches');
CALL pg_temp.fails('SELECT topk_union(u) FROM sketches, LATERAL (VALUES (s), (k)) t(u)');
CALL pg_temp.fails('SELECT topk_union(u) FROM sketches, LATERAL (VALUES (''\x611000''), (s), (seed)) t(u)');
CALL pg_temp.fails('SELECT topk_union(u) FROM sketches, LATERAL (VALUES (topk_empty(10)), (s), (kind)) t(u)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_empty(10) || topk_empty(20)'),
	(2, 'topk_empty(10) || topk_empty(10, -1)'),
	(3, 'topk_union(s || topk_empty(20)) FROM sketches'),
	(4, 'topk_empty(10, 9223372036854775807) || s FROM sketches'),
	(5, 'kind || arrays FROM sketches'),
	(6, 'topk_union(u) OVER () FROM sketches, LATERAL (VALUES (s), (k)) t(u)'),
	(7, 'topk_union(u) OVER (ORDER BY n ROWS 1 PRECEDING) FROM sketches, LATERAL (VALUES (1, s), (2, seed)) t(n, u)'),
	(8, 's || topk_empty(10) = s AND topk_empty(10) || kind = kind FROM sketches')) t(n, call)
ORDER BY n;

-- A value of another kind: by topk_count and by topk_add. A sketch without parameters takes no values.
CALL pg_temp.fails('SELECT topk_count(s, ''a'') FROM sketches');
CALL pg_temp.fails('SELECT topk_add(s, 1.0) FROM sketches');
CALL pg_temp.fails('SELECT topk_add(''\x611000'', 1)');
CREATE TEMP TABLE stored AS SELECT topk_agg(v, 100) AS s FROM generate_series(1, 5000) v;
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_count(kind, 1) FROM sketches'),
	(2, 'topk_count(kind, ''x''::"char") FROM sketches'),
	(3, 'topk_count(s, ARRAY[1]) FROM sketches'),
	(4, 'topk_count(s, 1.0) FROM stored'),
	(5, 'topk_count((SELECT s FROM stored), v::text) FROM generate_series(1, 100) v'),
	(6, 'topk_add(kind, 1) FROM sketches'),
	(7, 'topk_add(s, ''a'', 5) FROM stored'),
	(8, 'topk_add(s, ''a'', 0) FROM stored'),
	(9, 'topk_add(arrays, ''{a}''::text[]) FROM sketches'),
	(10, 'topk_add(s, ROW(1)) FROM sketches'),
	(11, 'topk_count(''\x611000'', 1), topk_count(topk_empty(5), ''a'')'),
	(12, 'topk_add(topk_agg(v, 5), 1) FROM generate_series(1, 0) v'),
	(13, 'topk_add(''\x611000'', NULL)'),
	(14, 'topk_add(''\x611000'', 1, NULL)')) t(n, call)
ORDER BY n;
-- The way out that the hints name.
SELECT topk_count(kind, 1::text) AS cast, topk_count(s, 1.0::int) AS cast_too, (topk_info(topk_add(topk_empty(5), 1))).total AS begun FROM sketches;

-- Limits.
CALL pg_temp.fails('SELECT topk_items(s, -1) FROM sketches');
SELECT pg_temp.error('topk_items(topk_empty(5), -2147483648)') AS no_values,
	pg_temp.error('topk_items(topk_empty(5), 2147483648)') AS no_integer,
	pg_temp.error('* FROM topk_items(topk_empty(5), limit => 5)') AS keyword;

-- Step functions write into their first argument, and so belong to aggregates alone.
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_agg_step(NULL, 1, 5)'),
	(2, 'topk_agg_step(s, NULL::int, 5) FROM sketches'),
	(3, 'topk_agg_step(s, 1, 10, 5) FROM sketches'),
	(4, 'topk_agg_step(s, ''a'', 10, 5, 0) FROM sketches'),
	(5, 'topk_union_step(s, s) FROM sketches'),
	(6, 'topk_union_step(NULL, NULL)'),
	(7, 'topk_union(topk_union_step(s, s)) FROM sketches')) t(n, call)
ORDER BY n;
-- Final functions write nothing: anybody may call them.
SELECT topk_agg_final(s) = s AND topk_union_final(s) = s AS same, topk_agg_final(NULL) AS nothing, topk_union_final(NULL) IS NULL AS no_sketch FROM sketches;
-- An aggregate made by hand may begin with a sketch, which every value must go with.
DO $$ BEGIN
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(int, int) (SFUNC = topk_agg_step, STYPE = topk, FINALFUNC = topk_agg_final, INITCOND = %L)', topk_agg(1, 5));
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(text, int) (SFUNC = topk_agg_step, STYPE = topk, FINALFUNC = topk_agg_final, INITCOND = %L)',
		topk_agg(1, 5));
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_many(int, int) (SFUNC = topk_agg_step, STYPE = topk, FINALFUNC = topk_agg_final, INITCOND = %L)',
		(SELECT s FROM stored));
	CREATE AGGREGATE pg_temp.onto_none(int, int) (SFUNC = topk_agg_step, STYPE = topk, FINALFUNC = topk_agg_final, INITCOND = '\x611000');
END $$;
SELECT pg_temp.onto_one(v, 5) = topk_add(topk_agg(v, 5), 1) AS from_one, pg_temp.onto_none(v, 5) = topk_agg(v, 5) AS from_none,
	(topk_info(pg_temp.onto_many(v, 100))).total AS from_many, pg_temp.onto_many(NULL, 100) = (SELECT s FROM stored) AS nothing
FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT pg_temp.onto_one(''a'', 5)');
CALL pg_temp.fails('SELECT pg_temp.onto_one(1, 6)');

-- What can't be put into a sketch is refused, whichever way.
CREATE COLLATION pg_temp.nd (PROVIDER = icu, LOCALE = 'und', DETERMINISTIC = false);
CALL pg_temp.fails('SELECT topk_count(kind, ''1'' COLLATE pg_temp.nd) FROM sketches');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'topk_agg(v COLLATE pg_temp.nd, 5) FROM (VALUES (''a''), (''b'')) t(v)'),
	(2, 'topk_agg(v COLLATE pg_temp.nd, 5, 1, 5) OVER () FROM (VALUES (''a''), (''b'')) t(v)'),
	(3, 'topk_agg(ARRAY[v COLLATE pg_temp.nd], 5) FROM (VALUES (''a''), (''b'')) t(v)'),
	(4, 'topk_add(kind, ''a'' COLLATE pg_temp.nd) FROM sketches'),
	(5, 'topk_count(s, ROW(''a'' COLLATE pg_temp.nd)) FROM stored'),
	(6, 'topk_agg(''{}''::json, 5)'),
	(7, 'topk_agg(point ''(0,0)'', 5, 1)'),
	(8, 'topk_add(topk_empty(5), ''{}''::json)'),
	(9, 'topk_count(topk_empty(5), ''pg_class''::regclass)'),
	(10, 'topk_agg(s, 5) FROM sketches')) t(n, call)
ORDER BY n;
SELECT topk_agg(v COLLATE "C", 5) = topk_agg(v, 5) AS collate,
	topk_agg(NULL::json, 5) AS null_of_no_image,
	topk_count(topk_agg(v, 5), 'a' COLLATE "und-x-icu") AS other_collation,
	topk_count(topk_empty(5), NULL::json) IS NULL AS null
FROM (VALUES ('a'), ('b')) t(v);

-- NULL everywhere else.
SELECT bool_and(result IS NULL) AS all_null, count(*) FROM sketches, LATERAL (VALUES
	(topk_union(NULL, s)::text), (topk_union(s, NULL)::text), ((NULL || s)::text), ((s || NULL)::text),
	(topk_add(NULL, 1)::text), (topk_add(NULL, NULL)::text), (topk_add(NULL, 1, -1)::text), (topk_count(NULL, 1)::text), (topk_count(s, NULL)::text),
	(topk_info(NULL)::text),
	(NULL::topk::bytea::text),
	(NULL::bytea::topk::text),
	((NULL::topk = s)::text),
	(topk_cmp(NULL, NULL)::text),
	(topk_hash(NULL)::text)) t(result);
SELECT count(*) AS no_rows FROM topk_items(NULL) a FULL JOIN topk_items(NULL, 5) b USING (rank);
-- After any of these the session is as good as new.
SELECT topk_count(topk_agg(v, 2), 2) AS good FROM generate_series(1, 3) v;

-- Sketches are no values: what to do instead.
CALL pg_temp.fails('SELECT hll_agg(s) FROM (VALUES (topk_empty(5))) t(s)');
CALL pg_temp.fails('SELECT topk_agg(h, 5) FROM (VALUES (hll_empty())) t(h)');
