-- Every error that a call about a bloom can raise: its SQLSTATE, its words, its
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

-- Capacity and rate out of range, and both.
CALL pg_temp.fails('SELECT bloom_empty(0, 0.01)');
CALL pg_temp.fails('SELECT bloom_empty(10, 0)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_empty(-9223372036854775808, 0.01)'),
	(2, 'bloom_empty(10, 1)'),
	(3, 'bloom_empty(10, -0.01)'),
	(4, 'bloom_empty(10, ''-0'')'),
	(5, 'bloom_empty(10, 1.5, 5)'),
	(6, 'bloom_empty(10, ''NaN'')'),
	(7, 'bloom_empty(10, ''Infinity'')'),
	(8, 'bloom_empty(10, ''-Infinity'')'),
	(9, 'bloom_empty(-1, ''NaN'')'),
	(10, 'bloom_sizing(0, 0.01)'),
	(11, 'bloom_sizing(10, ''NaN'')'),
	(12, 'bloom_sizing(10, 1)'),
	(13, 'bloom_agg(1, 0, 0.01)'),
	(14, 'bloom_agg(1, -5, 0.01, 7)'),
	(15, 'bloom_agg(1, 10, 0)'),
	(16, 'bloom_agg(''a''::text, 10, 1, 5)'),
	(17, 'bloom_agg(1, 10, ''NaN''::float8) OVER ()'),
	(18, 'bloom_agg(now(), 10, ''inf''::float8)')) t(n, call)
ORDER BY n;
SELECT (bloom_info(bloom_empty(1, 0.5))).capacity AS lowest, (bloom_sizing(1, 1 - 1e-16)).bits AS nearly_one, (bloom_sizing(1, 5.43e-18)).hashes AS nearly_zero;
-- A rate that hashes of 64 bits can't keep, and the least that they can.
CALL pg_temp.fails('SELECT bloom_empty(1, 1e-300)');
CALL pg_temp.fails('SELECT bloom_agg(1, 1000000, 5.4e-12)');
SELECT bloom_sizing(1000000, 5.43e-12) IS NOT NULL AS kept;
-- The rate that the hint names is accepted, and the double below it refused: that is
-- what a double times the one below 1 is rounded to.
CREATE FUNCTION pg_temp.least_rate(capacity bigint, rate float8) RETURNS float8 AS $$
DECLARE
	hint text;
BEGIN
	PERFORM bloom_sizing(capacity, rate);
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN substring(hint FROM 'must be at least (\S+) for so many');
END
$$ LANGUAGE plpgsql;
SELECT capacity, least, least * 0.9999999999999999::float8 < least AS below, pg_temp.least_rate(capacity, least) IS NULL AS accepted,
	pg_temp.least_rate(capacity, least * 0.9999999999999999::float8) = least AS below_is_refused
FROM (SELECT capacity, pg_temp.least_rate(capacity, 1e-300) AS least FROM (VALUES (1::bigint), (3), (1000003), (100000000)) t(capacity)) t
ORDER BY capacity;
-- One number behind the value is a rate: a capacity is none.
CALL pg_temp.fails('SELECT bloom_agg(1, 1000)');
CALL pg_temp.fails('SELECT bloom_agg(''a''::text, 1) OVER ()');
-- Larger than 1 GB: refused before memory is taken; what is just smaller is not.
CALL pg_temp.fails('SELECT bloom_empty(1000000000, 0.01)');
CALL pg_temp.fails('SELECT bloom_agg(''a''::text, 9223372036854775807, 0.5, 5)');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_sizing(9223372036854775807, 0.01)'),
	(2, 'bloom_sizing(900000000, 0.01)'),
	(3, 'bloom_agg(1, 9223372036854775807, 1e-300)'),
	(4, 'bloom_agg(1, 900000000, 0.01)')) t(n, call)
ORDER BY n;
SELECT bytes < 1073741824 AS fits, bytes > 1000000000 AS close FROM bloom_sizing(860000000, 0.01);

-- Parameters that are NULL. A function is NULL for a NULL argument.
CALL pg_temp.fails('SELECT bloom_agg(1, NULL, 0.01)');
CALL pg_temp.fails('SELECT bloom_agg(1, 10, NULL)');
CALL pg_temp.fails('SELECT bloom_agg(1, 10, 0.01, NULL)');
CALL pg_temp.fails('SELECT bloom_agg(''a''::text, NULL, NULL, 5) OVER ()');
SELECT bloom_empty(NULL, 0.01) IS NULL AND bloom_empty(10, NULL) IS NULL AND bloom_empty(10, 0.01, NULL) IS NULL AS functions;
-- Rates that differ in the last bit are told apart in words, too.
CALL pg_temp.fails('SELECT bloom_empty(10, 0.3) || bloom_empty(10, 0.1::float8 + 0.2::float8)');
CALL pg_temp.fails('SELECT bloom_agg(v, 10, CASE v WHEN 1 THEN 0.01 ELSE ''0.010000000000000002''::float8 END) FROM generate_series(1, 2) v');
-- An image from elsewhere may have another size for one capacity and one rate.
CALL pg_temp.fails('SELECT bloom_empty(10, 0.01) || (bloom_empty(10, 0.01)::bytea || decode(repeat(''00'', 64), ''hex''))::bloom');
-- Parameters that change within a group; where there is no value, none are recorded.
CALL pg_temp.fails('SELECT bloom_agg(v, 10 + v, 0.01) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT bloom_agg(v, 10, 0.1 / v) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT bloom_agg(v, 10, 0.01, v - 2) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT bloom_agg(v, CASE v WHEN 3 THEN NULL ELSE 10 END, 0.01) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT bloom_agg(v, CASE v WHEN 3 THEN 0 ELSE 10 END, 0.01) FROM generate_series(1, 3) v');
CALL pg_temp.fails('SELECT bloom_agg(v, 10, CASE v WHEN 3 THEN ''NaN'' ELSE 0.01 END) OVER (ORDER BY v) FROM generate_series(1, 3) v');
SELECT bloom_agg(v, c, r, s) = bloom_union(bloom_agg(1, 10, 0.1, 5), bloom_agg(2, 10, 0.1, 5)) AS changes_without_a_value
FROM (VALUES (NULL, 99, 0.2, 1), (1, 10, 0.1, 5), (NULL, NULL, NULL, NULL), (2, 10, 0.1, 5), (NULL, -1, 7, 6)) t(v, c, r, s);
SELECT (bloom_info(bloom_agg(v, 10 + v % 2, 0.01))).capacity AS one_for_each_group FROM generate_series(1, 10) v GROUP BY v % 2 ORDER BY 1;

-- Filters that do not go together: seed, then capacity and rate, then kind of value.
CREATE TEMP TABLE filters AS
	SELECT bloom_agg(v, 100, 0.01) AS f, bloom_agg(v, 101, 0.01) AS capacity, bloom_agg(v, 100, 0.0101) AS rate,
		bloom_agg(v, 100, 0.01, 5) AS seed, bloom_agg(v::text, 100, 0.01) AS kind, bloom_agg(ARRAY[v], 100, 0.01) AS arrays,
		bloom_agg(v::text, 101, 0.01, 5) AS all
	FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT f || capacity FROM filters');
CALL pg_temp.fails('SELECT bloom_union(f, rate) FROM filters');
CALL pg_temp.fails('SELECT bloom_union(f, seed) FROM filters');
CALL pg_temp.fails('SELECT f || kind FROM filters');
CALL pg_temp.fails('SELECT f || "all" FROM filters');
CALL pg_temp.fails('SELECT bloom_union(u) FROM filters, LATERAL (VALUES (f), (capacity)) t(u)');
CALL pg_temp.fails('SELECT bloom_union(u) FROM filters, LATERAL (VALUES (''\x211000''), (f), (seed)) t(u)');
CALL pg_temp.fails('SELECT bloom_union(u) FROM filters, LATERAL (VALUES (bloom_empty(100, 0.01)), (f), (kind)) t(u)');
-- Empty ones with parameters differ in those.
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_empty(10, 0.01) || bloom_empty(11, 0.01)'),
	(2, 'bloom_empty(10, 0.01) || bloom_empty(10, 0.01, -1)'),
	(3, 'bloom_empty(1000000, 0.01) || bloom_empty(1000001, 0.01)'),
	(4, 'bloom_agg(1, 1000000, 0.01) || bloom_agg(1::text, 1000000, 0.01)'),
	(5, 'bloom_union(f || bloom_empty(100, 0.02)) FROM filters'),
	(6, 'bloom_empty(100, 0.01, 9223372036854775807) || f FROM filters'),
	(7, 'kind || arrays FROM filters'),
	(8, 'bloom_union(u) OVER () FROM filters, LATERAL (VALUES (f), (rate)) t(u)'),
	(9, 'bloom_agg(v, 1000000, 0.01 * v) FROM generate_series(1, 3) v')) t(n, call)
ORDER BY n;
-- Equal bits, but another capacity or another number of hashes, which were given.
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_empty(1, 0.01) || bloom_empty(2, 0.01)'),
	(2, 'bloom_from_bytea(set_byte(bloom_empty(10, 0.01)::bytea, 19, 4)) || bloom_empty(10, 0.01)')) t(n, call)
ORDER BY n;

-- A value of another kind: by look-up, stored or not, and by bloom_add.
CALL pg_temp.fails('SELECT bloom_contains(f, ''a'') FROM filters');
CALL pg_temp.fails('SELECT bloom_add(f, 1.0) FROM filters');
CREATE TEMP TABLE stored AS SELECT bloom_agg(v, 100000, 0.01) AS f FROM generate_series(1, 3) v;
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_contains(kind, 1) FROM filters'),
	(2, 'bloom_contains(kind, ''x''::"char") FROM filters'),
	(3, 'bloom_contains(f, ARRAY[1]) FROM filters'),
	(4, 'bloom_contains(f, 1.0) FROM stored'),
	(5, 'bloom_contains((SELECT f FROM stored), v::text) FROM generate_series(1, 100) v'),
	(6, 'bloom_contains(f, v::numeric) FROM stored, generate_series(1, 100) v'),
	(7, 'bloom_add(kind, 1) FROM filters'),
	(8, 'bloom_add(f, ''a'') FROM stored'),
	(9, 'bloom_add(arrays, ''{a}''::text[]) FROM filters'),
	(10, 'bloom_add(f, ROW(1)) FROM filters')) t(n, call)
ORDER BY n;
-- The way out that the hint names.
SELECT bloom_contains(kind, 1::text) AS cast, bloom_contains(f, 1.0::int) AS cast_too FROM filters;

-- Without parameters nothing can be added, and nothing is there.
CALL pg_temp.fails('SELECT bloom_add(''\x211000'', 1)');
SELECT bloom_contains('\x211000', 1) AS contains;

-- Without a rate, without both.
SELECT pg_temp.error('bloom_empty(10)') AS no_rate, pg_temp.error('bloom_empty()') AS neither;

-- Step functions write into their first argument, and so belong to aggregates alone.
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_agg_step(NULL, 1, 10, 0.01)'),
	(2, 'bloom_agg_step(f, NULL::int, 10, 0.01) FROM filters'),
	(3, 'bloom_agg_step(f, ''a'', 10, 0.01, 0) FROM filters'),
	(4, 'bloom_union_step(f, f) FROM filters'),
	(5, 'bloom_union_step(NULL, NULL)'),
	(6, 'bloom_union(bloom_union_step(f, f)) FROM filters')) t(n, call)
ORDER BY n;
-- Final functions write nothing: anybody may call them.
SELECT bloom_agg_final(f) = f AND bloom_union_final(f) = f AS same, bloom_agg_final(NULL) AS nothing, bloom_union_final(NULL) IS NULL AS no_filter
FROM filters;
-- An aggregate made by hand may begin with a filter, which every value must go with.
CREATE AGGREGATE pg_temp.onto_none(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = '\x211000');
SELECT pg_temp.onto_none(v, 10, 0.01) = bloom_agg(v, 10, 0.01) AS begun, pg_temp.onto_none(NULL, 10, 0.01) AS nothing FROM generate_series(1, 3) v;
DO $$ BEGIN
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(int, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)',
		bloom_agg(1, 10, 0.01));
	EXECUTE format('CREATE AGGREGATE pg_temp.onto_one(text, bigint, float8) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final, INITCOND = %L)',
		bloom_agg(1, 10, 0.01));
END $$;
SELECT pg_temp.onto_one(v, 10, 0.01) = bloom_agg(v, 10, 0.01) AS from_one, pg_temp.onto_one(v, 10, 0.01) FILTER (WHERE v > 1) = bloom_agg(v, 10, 0.01) AS from_two
FROM generate_series(1, 3) v;
CALL pg_temp.fails('SELECT pg_temp.onto_one(''a'', 10, 0.01)');
CALL pg_temp.fails('SELECT pg_temp.onto_one(1, 11, 0.01)');

-- What can't be put into a sketch is refused, whichever way.
CREATE COLLATION pg_temp.nd (PROVIDER = icu, LOCALE = 'und', DETERMINISTIC = false);
CALL pg_temp.fails('SELECT bloom_contains(kind, ''1'' COLLATE pg_temp.nd) FROM filters');
SELECT call, pg_temp.error(call) FROM (VALUES
	(1, 'bloom_agg(v COLLATE pg_temp.nd, 10, 0.01) FROM (VALUES (''a''), (''b'')) t(v)'),
	(2, 'bloom_agg(v COLLATE pg_temp.nd, 10, 0.01, 5) OVER () FROM (VALUES (''a''), (''b'')) t(v)'),
	(3, 'bloom_agg(ARRAY[v COLLATE pg_temp.nd], 10, 0.01) FROM (VALUES (''a''), (''b'')) t(v)'),
	(4, 'bloom_add(kind, ''a'' COLLATE pg_temp.nd) FROM filters'),
	(5, 'bloom_contains(f, ''a'' COLLATE pg_temp.nd) FROM stored'),
	(6, 'bloom_contains(f, ROW(''a'' COLLATE pg_temp.nd)) FROM stored'),
	(7, 'bloom_agg(''{}''::json, 10, 0.01)'),
	(8, 'bloom_agg(point ''(0,0)'', 10, 0.01, 5)'),
	(9, 'bloom_add(bloom_empty(10, 0.01), ''{}''::json)'),
	(10, 'bloom_contains(bloom_empty(10, 0.01), ''pg_class''::regclass)'),
	(11, 'bloom_contains(''\x211000''::bloom, ''$''::jsonpath)'),
	(12, 'bloom_agg(f, 10, 0.01) FROM filters')) t(n, call)
ORDER BY n;
SELECT bloom_agg(v COLLATE "C", 10, 0.01) = bloom_agg(v, 10, 0.01) AS collate, bloom_agg(NULL::json, 10, 0.01) AS null_of_no_image,
	bloom_contains(bloom_agg(v, 10, 0.01), 'a' COLLATE "und-x-icu") AS other_collation, bloom_contains(bloom_empty(10, 0.01), NULL::json) IS NULL AS null
FROM (VALUES ('a'), ('b')) t(v);

-- NULL everywhere else.
SELECT bool_and(result IS NULL) AS all_null, count(*) FROM filters, LATERAL (VALUES
	(bloom_count(NULL)::text), (bloom_union(NULL, f)::text), (bloom_union(f, NULL)::text), ((NULL || f)::text), ((f || NULL)::text),
	(bloom_add(NULL, 1)::text), (bloom_add(NULL, NULL)::text), (bloom_contains(NULL, 1)::text), (bloom_contains(f, NULL)::text),
	(bloom_info(NULL)::text), (bloom_sizing(NULL, NULL)::text), (NULL::bloom::bytea::text), (NULL::bytea::bloom::text),
	((NULL::bloom = f)::text), (bloom_cmp(NULL, NULL)::text), (bloom_hash(NULL)::text)) t(result);
-- After any of these the session is as good as new.
SELECT bloom_contains(bloom_agg(v, 10, 0.01), 2) AS good FROM generate_series(1, 3) v;
