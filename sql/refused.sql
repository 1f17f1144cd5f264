-- What can't be put into a sketch is refused with a hint: types without a byte
-- image, and text whose collation calls different bytes equal.

\i test/sql/fails.sql

-- The same without the details, for many.
CREATE FUNCTION pg_temp.refusal(command text) RETURNS text AS $$
BEGIN
	EXECUTE 'SELECT ' || command;
	RETURN 'accepted';
EXCEPTION WHEN feature_not_supported THEN
	RETURN replace(SQLERRM, ' can''t be put into a sketch', ' refused');
END
$$ LANGUAGE plpgsql;

CREATE SCHEMA refused;
SET search_path = refused, public;

-- Types without an image, alone and inside others.
CREATE DOMAIN document AS json;
CREATE TYPE pair AS (a int, b point);
CREATE TYPE pointer AS RANGE (subtype = tid);
CALL pg_temp.fails('SELECT hll_agg(''{}''::json)');
SELECT call, pg_temp.refusal(call) FROM (VALUES
	(1, 'hll_agg(point ''(1,2)'', 12, 5)'),
	(2, 'approx_count_distinct(''a b''::tsvector)'),
	(3, 'hll_agg(''{}''::json) OVER ()'),
	(4, 'hll_add(hll_empty(), ''pg_class''::regclass)'),
	(5, 'sketch_hash(''(0,1)''::tid)'),
	(6, 'sketch_hash(''(0,0),(1,1)''::box, 5)'),
	(7, 'hll_agg(hll_empty())'),
	(8, 'sketch_hash(''{}''::document)'),
	(9, 'sketch_hash(ARRAY[''{}''::document])'),
	(10, 'sketch_hash(ARRAY[''{}''::json])'),
	(11, 'sketch_hash(''{}''::json[])'),
	(12, 'sketch_hash(ROW(1, ''$''::jsonpath))'),
	(13, 'sketch_hash(''(1,)''::pair)'),
	(14, 'sketch_hash(ARRAY[ROW(1, ROW(NULL::line))])'),
	(15, 'sketch_hash(''["(0,1)","(0,2)"]''::pointer)'),
	(16, 'sketch_hash(''{}''::pointer_multirange)')) t(n, call)
ORDER BY n;
-- NULL is no value, so there is nothing to refuse.
SELECT hll_agg(v) = hll_empty() AS agg, approx_count_distinct(v) AS count
FROM (VALUES (NULL::json)) t(v);
SELECT hll_add(hll_empty(), NULL::json) = hll_empty() AS add, sketch_hash(NULL::json) IS NULL AS hash,
	hll_agg(NULL::json) OVER () = hll_empty() AS window;
-- The way out that the hint names.
SELECT sketch_hash('{}'::json::text) = sketch_hash('{}') AS cast;

-- Nondeterministic collations, wherever the text stands.
CREATE COLLATION nd (PROVIDER = icu, LOCALE = 'und', DETERMINISTIC = false);
CREATE DOMAIN nd_text AS text COLLATE nd;
CREATE TYPE nd_range AS RANGE (SUBTYPE = text, COLLATION = nd);
CREATE TYPE nd_text_range AS RANGE (SUBTYPE = nd_text);
CREATE TYPE nd_pair AS (a int, b text COLLATE nd);
CREATE DOMAIN nd_range_domain AS nd_range;
CREATE DOMAIN nd_array AS text[] COLLATE nd;
CREATE TABLE texts (v text COLLATE nd, n int, plain text, words text[] COLLATE nd);
INSERT INTO texts VALUES ('a', 1, 'a', '{a}'), ('b', 2, 'b', '{b}');
CALL pg_temp.fails('SELECT sketch_hash(''a'' COLLATE nd)');
SELECT call, pg_temp.refusal(call) FROM (VALUES
	(1, 'hll_add(hll_empty(), v) FROM texts'),
	(2, 'hll_agg(v) FROM texts'),
	(3, 'hll_agg(v, 12, 5) FROM texts'),
	(4, 'approx_count_distinct(v) FROM texts'),
	(5, 'hll_agg(v) OVER (ORDER BY n) FROM texts'),
	(6, 'hll_agg(v::varchar) FROM texts'),
	(7, 'hll_agg(v::char(3)) FROM texts'),
	(8, 'hll_agg(v || plain) FROM texts'),
	(9, 'hll_agg(DISTINCT v) FROM texts'),
	(10, 'hll_agg(plain::nd_text) FROM texts'),
	(11, 'hll_agg(plain), hll_agg(v) FROM texts'),
	(12, 'hll_agg(CASE n WHEN 1 THEN plain ELSE v END) FROM texts'),
	(13, 'sketch_hash(v) FROM (SELECT plain AS v FROM texts UNION ALL SELECT v FROM texts) t'),
	(14, 'sketch_hash(ARRAY[v]) FROM texts'),
	(15, 'hll_agg(words) FROM texts'),
	(16, 'hll_agg(words) OVER () FROM texts'),
	(17, 'sketch_hash(''{a}''::nd_array)'),
	(18, 'sketch_hash(ARRAY[plain]::nd_text[]) FROM texts'),
	(19, 'sketch_hash(ROW(1, v)) FROM texts'),
	(20, 'hll_agg(ROW(1, ROW(ARRAY[v]))) FROM texts'),
	(21, 'hll_agg(ROW(1, NULL::text COLLATE nd))'),
	(22, 'hll_agg(t) FROM texts t'),
	(23, 'approx_count_distinct(t) OVER () FROM texts t'),
	(24, 'sketch_hash(''(1,a)''::nd_pair)'),
	(25, 'sketch_hash(ARRAY[''(1,a)''::nd_pair])'),
	(26, 'sketch_hash(ROW(ARRAY[''(1,a)''::nd_pair]))'),
	(27, 'sketch_hash(''[a,b]''::nd_range)'),
	(28, 'sketch_hash(''[a,b]''::nd_text_range)'),
	(29, 'sketch_hash(''empty''::nd_range_domain)'),
	(30, 'sketch_hash(''{[a,b]}''::nd_multirange)'),
	(31, 'sketch_hash(ARRAY[''[a,b]''::nd_range_domain])'),
	(32, 'hll_agg(ROW(''[a,b]''::nd_range))')) t(n, call)
ORDER BY n;
-- The collation is looked at anew in each call: from SQL and PL/pgSQL functions too.
CREATE FUNCTION hash_sql(t text) RETURNS bigint AS 'SELECT sketch_hash(t)' LANGUAGE sql;
CREATE FUNCTION hash_plpgsql(t text) RETURNS bigint AS 'BEGIN RETURN sketch_hash(t); END' LANGUAGE plpgsql;
SELECT hash_sql(plain) = sketch_hash(plain) AS sql, hash_plpgsql(plain) = sketch_hash(plain) AS plpgsql FROM texts;
SELECT pg_temp.refusal('hash_sql(v) FROM texts') AS sql, pg_temp.refusal('hash_plpgsql(v) FROM texts') AS plpgsql;
SELECT hash_sql(plain) = sketch_hash(plain) AS sql, hash_plpgsql(plain) = sketch_hash(plain) AS plpgsql FROM texts;
-- The ways out that the hint names, and what is no text.
SELECT hll_agg(v COLLATE "C") = hll_agg(plain) AS collate, hll_agg(lower(v) COLLATE "C") = hll_agg(plain) AS lower,
	approx_count_distinct(n) AS two, hll_agg(ROW(n, plain)) = hll_agg(ROW(n, v COLLATE "C")) AS row
FROM texts;
SELECT hll_agg(NULL::text COLLATE nd) = hll_empty() AS null, approx_count_distinct(v) AS no_rows FROM texts WHERE false;

SET client_min_messages = warning;
DROP SCHEMA refused CASCADE;

-- A range over an operator class of its own, which may hold equal what the
-- subtype does not, and its multirange.
CREATE FUNCTION ci_cmp(text, text) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS
	'SELECT bttextcmp(lower($1) COLLATE "C", lower($2) COLLATE "C")';
CREATE FUNCTION ci_lt(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS 'SELECT ci_cmp($1, $2) < 0';
CREATE FUNCTION ci_eq(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE STRICT AS 'SELECT ci_cmp($1, $2) = 0';
CREATE OPERATOR @<@ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_lt);
CREATE OPERATOR @=@ (LEFTARG = text, RIGHTARG = text, FUNCTION = ci_eq);
CREATE OPERATOR CLASS ci_ops FOR TYPE text USING btree AS OPERATOR 1 @<@, OPERATOR 3 @=@, FUNCTION 1 ci_cmp(text, text);
CREATE TYPE ci_range AS RANGE (subtype = text, subtype_opclass = ci_ops, multirange_type_name = ci_multirange);
SELECT ci_range('a', 'b') = ci_range('A', 'B') AS equal;
SELECT hll_agg(ci_range('a', 'b'));
SELECT hll_agg(ci_multirange(ci_range('a', 'b')));
SELECT hll_count(hll_agg(ci_range('a', 'b')::text)) AS as_text;
DROP TYPE ci_range;
DROP OPERATOR FAMILY ci_ops USING btree;
DROP OPERATOR @<@ (text, text);
DROP OPERATOR @=@ (text, text);
DROP FUNCTION ci_lt, ci_eq, ci_cmp;
