-- Every hashable type finds its overload without a cast, and is accepted or
-- refused with a hint. So do money, bit and varbit, which can be sorted only.

CREATE SCHEMA walk;
SET search_path = walk, public;
CREATE TYPE mood AS ENUM ('wild', 'calm');
CREATE TYPE pair AS (a int, b text);
CREATE TYPE textrange AS RANGE (subtype = text);
CREATE DOMAIN small AS smallint;
CREATE DOMAIN word AS varchar(20);
CREATE DOMAIN padded AS char(4);
CREATE DOMAIN humour AS mood;
CREATE DOMAIN numbers AS numeric[];
CREATE DOMAIN span AS numrange;
CREATE DOMAIN couple AS pair;
CREATE TABLE a_table (a int, b mood);

-- A type is hashable where it can be the key of a table partitioned by hash; an
-- array always is. Left out are the row types of the catalogs, and four types of
-- their columns that nobody can write a value of.
CREATE FUNCTION is_hashable(type text) RETURNS boolean AS $$
BEGIN
	EXECUTE format('CREATE TEMP TABLE probe (v %s) PARTITION BY HASH (v)', type);
	RAISE EXCEPTION USING ERRCODE = 'ZZ001';
EXCEPTION
	WHEN SQLSTATE 'ZZ001' THEN RETURN true;
	WHEN undefined_object THEN RETURN false;
END
$$ LANGUAGE plpgsql;
CREATE TABLE hashable AS
	WITH types AS MATERIALIZED (
		SELECT t.oid, format_type(t.oid, NULL) AS type, t.typtype, t.typname, e.oid IS NOT NULL AS is_array
		FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace LEFT JOIN pg_type e ON e.typarray = t.oid
		WHERE nspname IN ('pg_catalog', 'information_schema', 'walk') AND t.typtype <> 'p'
			AND ((t.typrelid = 0 AND coalesce(e.typrelid, 0) = 0) OR nspname = 'walk')
			AND coalesce(e.typtype <> 'p', true)
			AND t.typname NOT IN ('pg_node_tree', 'pg_ndistinct', 'pg_dependencies', 'pg_mcv_list'))
	SELECT * FROM types WHERE type IN ('money', 'bit', 'bit varying') OR is_hashable(type);
SELECT count(*) > 130 AS many, count(DISTINCT typtype) AS sorts,
	count(*) FILTER (WHERE type IN ('integer', 'character', 'uuid', 'mood', 'pair', 'textrange', 'int4multirange', 'couple',
		'text[]')) AS nine
FROM hashable;

-- A call with a NULL of each type: every form resolves to one function. NULL is
-- no value, so that a type without an image is not refused yet.
CREATE FUNCTION calls() RETURNS TABLE(form text) AS $$
	VALUES ('hll_agg(%s)'), ('hll_agg(%s, 12)'), ('hll_agg(%s, 12, 5)'), ('approx_count_distinct(%s)'),
		('approx_count_distinct(%s, 12)'), ('hll_add(hll_empty(), %s)'), ('sketch_hash(%s)'), ('sketch_hash(%s, 5)'),
		('hll_agg(%s) OVER ()'), ('approx_count_distinct(%s) OVER ()'),
		('bloom_agg(%s)'), ('bloom_agg(%s, 0.01)'), ('bloom_agg(%s, 0.01::float8)'), ('bloom_agg(%s) OVER ()'),
		('bloom_agg(%s, 1000, 0.01)'), ('bloom_agg(%s, 1000::bigint, 0.01::float8)'), ('bloom_agg(%s, 1000, 0.01, 5)'),
		('bloom_agg(%s, 1000, 0.01) OVER ()'), ('bloom_count(bloom_add(bloom_empty(10, 0.01), %s))'),
		('bloom_contains(bloom_empty(10, 0.01), %s)'),
		('cms_agg(%s)'), ('cms_agg(%s, 2)'), ('cms_agg(%s, 0.1, 0.1)'), ('cms_agg(%s, 2, 0.1, 0.1)'), ('cms_agg(%s, 2::bigint, 0.1::float8, 0.1::float8)'),
		('cms_agg(%s, 2, 0.1, 0.1, 5)'), ('cms_agg(%s) OVER ()'), ('cms_total(cms_add(cms_empty(), %s))'), ('cms_total(cms_add(cms_empty(), %s, 7))'),
		('cms_count(cms_empty(), %s)'),
		('topk_agg(%s, 10)'), ('topk_agg(%s, 10, 2)'), ('topk_agg(%s, 10::smallint, 2::bigint)'), ('topk_agg(%s, 10, 2, 5)'), ('topk_agg(%s, 10) OVER ()'),
		('(topk_info(topk_add(topk_empty(10), %s))).total'), ('(topk_info(topk_add(topk_empty(10), %s, 7))).total'), ('topk_count(topk_empty(10), %s)')
$$ LANGUAGE sql;
CREATE FUNCTION outcome(call text) RETURNS text AS $$
DECLARE
	state text;
	hint text;
	result text;
BEGIN
	EXECUTE 'SELECT ' || call INTO result;
	RETURN coalesce(result, 'NULL');
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, hint = PG_EXCEPTION_HINT;
	RETURN 'error ' || state || CASE WHEN hint <> '' THEN ' with a hint' ELSE '' END;
END
$$ LANGUAGE plpgsql;
SELECT form, outcome(format(form, 'NULL::' || type)) AS outcome, count(*) = (SELECT count(*) FROM hashable) AS all_types
FROM hashable, calls() GROUP BY 1, 2 ORDER BY form COLLATE "C", outcome;

-- A value of each type: the first of these that its input takes.
CREATE FUNCTION sample(type text) RETURNS text AS $$
DECLARE
	literal text;
BEGIN
	FOREACH literal IN ARRAY ARRAY['1', 'a', '{}', '(1,1)', '-', '[1,2)', '[a,b)', '2024-01-01', '[2024-01-01,2024-01-02)',
		'12:00', '1 day', '10.0.0.0/8', '08:00:2b:01:02:03', '00000000-0000-0000-0000-000000000000', '0/1', 'calm', '(1,x)', '(1,calm)', 'YES',
		format('=r/%s', current_user)] LOOP
		BEGIN
			EXECUTE format('SELECT %L::%s', literal, type);
			RETURN format('%L::%s', literal, type);
		EXCEPTION WHEN OTHERS THEN
		END;
	END LOOP;
	RETURN NULL;
END
$$ LANGUAGE plpgsql;
CREATE TABLE outcomes AS
	SELECT type, typname, typtype, is_array, form,
		CASE WHEN outcome LIKE 'error%' THEN outcome ELSE 'a result' END AS outcome
	FROM (SELECT h.*, form, outcome(format(form, sample(type))) AS outcome FROM hashable h, calls()) t;
SELECT count(*) AS types_without_sample FROM hashable WHERE sample(type) IS NULL;
-- A type is accepted by every form or refused by every form, always with a hint.
SELECT outcome, count(DISTINCT type) > 10 AS many FROM outcomes GROUP BY outcome ORDER BY outcome;
SELECT count(*) AS neither FROM (SELECT type FROM outcomes GROUP BY type HAVING count(DISTINCT outcome) > 1) t;
-- What is refused: of types that are no arrays, the ones that name objects of
-- the database, and a few more. (oid8 came with PostgreSQL 19.)
SELECT type FROM (SELECT DISTINCT type FROM outcomes WHERE outcome LIKE 'error%' AND NOT is_array) t
WHERE type NOT LIKE 'reg%' AND type <> 'oid8' ORDER BY type COLLATE "C";
SELECT bool_and(outcome = 'error 0A000 with a hint') AS names_of_objects_are_refused, count(DISTINCT type) >= 11 AS many
FROM outcomes WHERE type LIKE 'reg%' AND NOT is_array;
-- What is accepted, but for arrays and what the information schema has.
SELECT type FROM (SELECT DISTINCT type FROM outcomes WHERE outcome = 'a result' AND NOT is_array) t
WHERE type NOT LIKE 'information_schema%' AND type <> 'oid8' ORDER BY type COLLATE "C";
-- Arrays go as their elements do; an empty array too.
SELECT bool_and(a.outcome = e.outcome) AS like_elements, count(DISTINCT a.type) > 50 AS many
FROM outcomes a JOIN pg_type t ON t.typname = a.typname AND a.is_array
	JOIN hashable h ON h.oid = t.typelem JOIN outcomes e ON e.type = h.type AND e.form = a.form;
-- Nested in a row or a range, what has no image is refused as well; also where it is NULL.
SELECT value, outcome('sketch_hash(' || value || ')'), outcome('hll_agg(' || value || ')')
FROM (VALUES ('ROW(1, ''(0,1)''::tid)'), ('ROW(1, NULL::json)'), ('ARRAY[''{}''::json]'), ('ARRAY[NULL::json]'), ('''{}''::json[]'),
	('ROW(ARRAY[ROW(point ''(0,0)'')])')) t(value);

-- Which overload it is: the kind of value tells.
CREATE FUNCTION kind(hll) RETURNS text AS 'SELECT value_type FROM hll_info($1)' LANGUAGE sql;
SELECT kind(hll_agg(42)) AS "42", kind(hll_agg(1.5)) AS "1.5", kind(hll_agg(1.5::float8)) AS float8, kind(hll_agg('x')) AS literal,
	kind(hll_agg('x'::"char")) AS "char", kind(hll_agg(true)) AS boolean, kind(hll_agg(9999999999)) AS "9999999999",
	kind(hll_agg(current_date)) AS date, kind(hll_agg(now())) AS timestamptz, kind(hll_agg(localtimestamp)) AS timestamp;
SELECT kind(hll_add(hll_empty(), 42)) AS "42", kind(hll_add(hll_empty(), 1.5)) AS "1.5", kind(hll_add(hll_empty(), 'x')) AS literal,
	kind(hll_add(hll_empty(), 'x'::"char")) AS "char", kind(hll_add(hll_empty(), 'x'::char(3))) AS bpchar,
	kind(hll_add(hll_empty(), 'x'::name)) AS name, kind(hll_add(hll_empty(), 'x'::word)) AS domain,
	kind(hll_add(hll_empty(), '{}'::int[])) AS array, kind(hll_add(hll_empty(), 'calm'::mood)) AS enum;
CREATE FUNCTION kind(bloom) RETURNS text AS 'SELECT value_type FROM bloom_info($1)' LANGUAGE sql;
SELECT kind(bloom_agg(42, 10, 0.01)) AS "42", kind(bloom_agg(1.5, 10, 0.01)) AS "1.5", kind(bloom_agg('x', 10, 0.01)) AS literal,
	kind(bloom_agg('x'::"char", 10, 0.01, 5)) AS "char", kind(bloom_agg(true, 10, 0.01)) AS boolean, kind(bloom_agg('x', 10, 0.01, 5)) AS literal_with_seed,
	kind(bloom_agg(current_date, 10, 0.01)) AS date, kind(bloom_agg(42, 10::bigint, 0.01::real)) AS other_parameters;
SELECT kind(bloom_add(bloom_empty(10, 0.01), 42)) AS "42", kind(bloom_add(bloom_empty(10, 0.01), 'x')) AS literal,
	kind(bloom_add(bloom_empty(10, 0.01), 'x'::"char")) AS "char", kind(bloom_add(bloom_empty(10, 0.01), 'x'::word)) AS domain,
	bloom_contains(bloom_agg('x'::text, 10, 0.01), 'x') AS contains_literal, bloom_contains(bloom_agg(42, 10, 0.01), 42) AS contains_42;
CREATE FUNCTION kind(cms) RETURNS text AS 'SELECT value_type FROM cms_info($1)' LANGUAGE sql;
SELECT kind(cms_agg(42)) AS "42", kind(cms_agg(1.5, 42)) AS "1.5", kind(cms_agg('x')) AS literal, kind(cms_agg('x', 42)) AS literal_with_weight,
	kind(cms_agg('x'::"char", 1, 0.1, 0.1, 5)) AS "char", kind(cms_agg(true, 0.1, 0.1)) AS boolean, kind(cms_agg('x', 2, 0.1, 0.1, 5)) AS literal_with_seed,
	kind(cms_agg(current_date, 1, 0.1, 0.1)) AS date, kind(cms_agg(42, 10::smallint, 0.1::real, 0.1)) AS other_parameters;
SELECT total, epsilon, delta FROM cms_info((SELECT cms_agg(5, 2))) UNION ALL SELECT total, epsilon, delta FROM cms_info((SELECT cms_agg(5, 0.5, 0.25)))
	UNION ALL SELECT total, epsilon, delta FROM cms_info((SELECT cms_agg(5, 3, 0.5, 0.25))) UNION ALL SELECT total, epsilon, delta FROM cms_info((SELECT cms_agg('x', 4, 0.5, 0.25)));
SELECT kind(cms_add(cms_empty(), 42)) AS "42", kind(cms_add(cms_empty(), 'x')) AS literal, kind(cms_add(cms_empty(), 'x', 5)) AS with_weight,
	kind(cms_add(cms_empty(), 'x'::"char")) AS "char", kind(cms_add(cms_empty(), 'x'::word, 5)) AS domain,
	cms_count(cms_agg('x'::text, 3), 'x') AS count_literal, cms_count(cms_agg(42, 3), 42) AS count_42;
CREATE FUNCTION kind(topk) RETURNS text AS 'SELECT value_type FROM topk_info($1)' LANGUAGE sql;
SELECT kind(topk_agg(42, 5)) AS "42", kind(topk_agg(1.5, 5, 42)) AS "1.5", kind(topk_agg('x', 5)) AS literal, kind(topk_agg('x', 5, 42)) AS literal_with_weight,
	kind(topk_agg('x'::"char", 5, 1, 5)) AS "char", kind(topk_agg(true, 5)) AS boolean, kind(topk_agg('x', 5, 2, 5)) AS literal_with_seed,
	kind(topk_agg(current_date, 5, 1)) AS date, kind(topk_agg(42, 10::smallint, 10::smallint)) AS other_parameters;
SELECT kind(topk_add(topk_empty(5), 42)) AS "42", kind(topk_add(topk_empty(5), 'x')) AS literal, kind(topk_add(topk_empty(5), 'x', 5)) AS with_weight,
	kind(topk_add(topk_empty(5), 'x'::"char")) AS "char", kind(topk_add(topk_empty(5), 'x'::word, 5)) AS domain,
	topk_count(topk_agg('x'::text, 3), 'x') AS count_literal, topk_count(topk_agg(42, 3), 42) AS count_42;
SELECT sketch_hash(42) = sketch_hash(42::bigint) AS integer, sketch_hash('42') = sketch_hash('42'::text) AS literal,
	sketch_hash(1.5) = sketch_hash(1.5::numeric) AS numeric;
SELECT kind(hll_agg(NULL)) IS NULL AS aggregate, hll_add(hll_empty(), NULL) = hll_empty() AS scalar,
	sketch_hash(NULL) IS NULL AS hash, approx_count_distinct(NULL) AS count;
SELECT bloom_agg(NULL, 10, 0.01) AS aggregate, bloom_count(bloom_add(bloom_empty(10, 0.01), NULL)) AS scalar,
	bloom_contains(bloom_empty(10, 0.01), NULL) IS NULL AS contains;
SELECT topk_agg(NULL, 5) AS aggregate, topk_agg(NULL, NULL, NULL) AS weighted, topk_add(topk_empty(5), NULL) AS scalar, topk_count(topk_empty(5), NULL) IS NULL AS count;
SELECT cms_agg(NULL) AS aggregate, cms_agg(NULL, NULL) AS weighted, cms_add(cms_empty(), NULL) AS scalar, cms_count(cms_empty(), NULL) IS NULL AS count;

-- Parameters: without a type they go to text, and with one to that.
PREPARE untyped AS
	SELECT kind(hll_add(hll_empty(), $1)) AS scalar, kind(hll_agg($2)) AS aggregate, sketch_hash($3) = sketch_hash('x'::text) AS hash;
EXECUTE untyped('x', 'x', 'x');
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped';
PREPARE untyped_bloom AS SELECT bloom_contains($1, $2) AS contains, kind(bloom_agg($3, $4, $5)) AS aggregate, kind(bloom_agg($3, $4, $5, $6)) AS with_seed;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped_bloom';
PREPARE untyped_cms AS SELECT cms_count($1, $2) AS count, kind(cms_agg($3)) AS aggregate, kind(cms_agg($3, $4)) AS weighted, kind(cms_agg($3, $5, $6)) AS with_parameters,
	kind(cms_agg($3, $4, $5, $6)) AS both, kind(cms_agg($3, $4, $5, $6, $7)) AS with_seed, cms_add($1, $2, $4) AS added;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped_cms';
PREPARE untyped_topk AS SELECT topk_count($1, $2) AS count, kind(topk_agg($3, $4)) AS aggregate, kind(topk_agg($3, $4, $5)) AS weighted, kind(topk_agg($3, $4, $5, $6)) AS with_seed,
	topk_add($1, $2, $5) AS added, (SELECT count(*) FROM topk_items($1, $7)) AS items;
SELECT parameter_types FROM pg_prepared_statements WHERE name = 'untyped_topk';
PREPARE typed(bigint, date, mood) AS
	SELECT kind(hll_add(hll_empty(), $1)) AS scalar, kind(hll_agg($2)) AS aggregate, kind(hll_agg($3)) AS enum;
EXECUTE typed(1, '2024-01-01', 'calm');
PREPARE parameters(int, int, bigint) AS SELECT "precision", value_type, seed FROM hll_info((SELECT hll_agg($1, $2, $3)));
EXECUTE parameters(1, 12, 5);

-- The overloads there are, from one list.
SELECT proname, pronargs, count(*) FROM pg_proc
WHERE proname IN ('hll_agg', 'hll_agg_step', 'approx_count_distinct', 'hll_add', 'sketch_hash', 'bloom_agg', 'bloom_agg_step', 'bloom_add', 'bloom_contains',
	'cms_agg', 'cms_agg_step', 'cms_add', 'cms_count', 'topk_agg', 'topk_agg_step', 'topk_add', 'topk_count', 'topk_items')
GROUP BY proname, pronargs ORDER BY proname COLLATE "C", pronargs;
SELECT string_agg(format_type(proargtypes[0], NULL), ', ' ORDER BY format_type(proargtypes[0], NULL) COLLATE "C") AS hll_agg
FROM pg_proc WHERE proname = 'hll_agg' AND pronargs = 1;

SET client_min_messages = warning;
DROP SCHEMA walk CASCADE;
