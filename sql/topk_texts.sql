-- The text of values: what the type's output function writes under fixed settings,
-- whatever the settings are; of equal values with several texts the bytewise smallest.

CREATE SCHEMA texts;
SET search_path = texts, public;
-- The items of a sketch in order of their text, as one line.
CREATE FUNCTION items(s topk) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(item, ' | ' ORDER BY item COLLATE "C") FROM topk_items(s, 1000) $$;
CREATE TYPE mood AS ENUM ('two words', 'calm', U&'gro\00DF');
CREATE TYPE pair AS (a int, b text, c numeric);
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN price AS numeric(10, 2);
CREATE DOMAIN moods AS mood[];
CREATE DOMAIN padded AS char(4);
CREATE TYPE moneyrange AS RANGE (subtype = money);

-- A value of each type, stored while the settings are the usual ones.
SET TimeZone = 'UTC';
SET lc_monetary = 'C';
CREATE TABLE held AS SELECT true AS "boolean",
	42::smallint AS "smallint",
	(-2147483648)::int AS "integer",
	9223372036854775807::bigint AS "bigint",
	4294967295::oid AS "oid",
	'7'::xid AS "xid",
	'8'::cid AS "cid",
	'18446744073709551615'::xid8 AS "xid8",
	0.1::real AS "real",
	(0.1::float8 + 0.2::float8) AS "double precision",
	1234567.890::numeric AS "numeric",
	'-1234567.89'::money AS "money",
	'5'::money AS money2,
	U&'Gr\00FC\00DFe, "\4E9C"' AS "text",
	'a b'::varchar AS "varchar",
	'ab '::char(6) AS "char(n)",
	'name'::name AS "name",
	'x'::"char" AS "char",
	''::"char" AS char0,
	'\x00ff41'::bytea AS "bytea",
	'00112233-4455-6677-8899-AABBCCDDEEFF'::uuid AS "uuid",
	'2024-02-29'::date AS "date",
	'0044-03-15 BC'::date AS date2,
	'infinity'::date AS date3,
	'2024-02-29 12:34:56.789'::timestamp AS "timestamp",
	'-infinity'::timestamp AS timestamp2,
	'2024-02-29 12:34:56+00'::timestamptz AS "timestamptz",
	'12:34:56.7'::time AS "time",
	'12:34:56-03:30'::timetz AS "timetz",
	'1 year -2 mons +3 days 04:05:06.7'::interval AS "interval",
	'10.1.2.3/8'::inet AS "inet",
	'10.0.0.0/8'::cidr AS "cidr",
	'::1'::inet AS inet2,
	'08:00:2b:01:02:03'::macaddr AS "macaddr",
	'08:00:2b:01:02:03:04:05'::macaddr8 AS "macaddr8",
	B'0101'::bit(4) AS "bit",
	B'1'::varbit AS "varbit",
	'16/B374D848'::pg_lsn AS "pg_lsn",
	'two words'::mood AS enum,
	U&'gro\00DF'::mood AS enum2,
	'{"b": [1.50, null], "a": "\u00fc"}'::jsonb AS "jsonb",
	ROW(1, 'a b', 1.50)::pair AS composite,
	5::positive AS "domain",
	1.5::price AS domain2,
	ARRAY['two words', NULL, 'calm']::moods AS domain3,
	'ab'::padded AS domain4,
	ARRAY[[1, 2], [3, NULL]] AS "integer[]",
	ARRAY['a,b', '', 'NULL', NULL] AS "text[]",
	ARRAY['2024-02-29 12:34:56+00'::timestamptz] AS "timestamptz[]",
	ARRAY[0.1::float8 + 0.2::float8] AS "float8[]",
	ARRAY['\x41'::bytea] AS "bytea[]",
	ARRAY['1.50'::money] AS "money[]",
	'[2024-02-29 12:34:56+00,)'::tstzrange AS "tstzrange",
	'empty'::int4range AS "int4range",
	'[$1.00,$2.00)'::moneyrange AS moneyrange,
	'{[2024-02-29,2024-03-01)}'::datemultirange AS "datemultirange", 0.1::real AS r;
RESET lc_monetary;
RESET TimeZone;
CREATE VIEW written AS
	SELECT items(topk_agg("boolean", 1)) AS "boolean",
		items(topk_agg("smallint", 1)) AS "smallint",
		items(topk_agg("integer", 1)) AS "integer",
		items(topk_agg("bigint", 1)) AS "bigint",
		items(topk_agg("oid", 1)) AS "oid",
		items(topk_agg("xid", 1)) AS "xid",
		items(topk_agg("cid", 1)) AS "cid",
	items(topk_agg("xid8", 1)) AS "xid8",
	items(topk_agg("real", 1)) AS "real",
	items(topk_agg("double precision", 1)) AS "double precision",
	items(topk_agg("numeric", 1)) AS "numeric",
	items(topk_agg("money", 1)) AS "money",
	items(topk_agg(money2, 1)) AS money2,
	items(topk_agg("text", 1)) AS "text",
	items(topk_agg("varchar", 1)) AS "varchar",
	'<' || items(topk_agg("char(n)", 1)) || '>' AS "char(n)",
	items(topk_agg("name", 1)) AS "name",
	items(topk_agg("char", 1)) AS "char",
	'<' || items(topk_agg(char0, 1)) || '>' AS char0,
	items(topk_agg("bytea", 1)) AS "bytea",
	items(topk_agg("uuid", 1)) AS "uuid",
	items(topk_agg("date", 1)) AS "date",
	items(topk_agg(date2, 1)) AS date2,
	items(topk_agg(date3, 1)) AS date3,
	items(topk_agg("timestamp", 1)) AS "timestamp",
	items(topk_agg(timestamp2, 1)) AS timestamp2,
	items(topk_agg("timestamptz", 1)) AS "timestamptz",
	items(topk_agg("time", 1)) AS "time",
	items(topk_agg("timetz", 1)) AS "timetz",
	items(topk_agg("interval", 1)) AS "interval",
	items(topk_agg("inet", 1)) AS "inet",
	items(topk_agg("cidr", 1)) AS "cidr",
	items(topk_agg(inet2, 1)) AS inet2,
	items(topk_agg("macaddr", 1)) AS "macaddr",
	items(topk_agg("macaddr8", 1)) AS "macaddr8",
	items(topk_agg("bit", 1)) AS "bit",
	items(topk_agg("varbit", 1)) AS "varbit",
	items(topk_agg("pg_lsn", 1)) AS "pg_lsn",
	items(topk_agg(enum, 1)) AS enum,
	items(topk_agg(enum2, 1)) AS enum2,
	items(topk_agg("jsonb", 1)) AS "jsonb",
	items(topk_agg(composite, 1)) AS composite,
	items(topk_agg("domain", 1)) AS "domain",
	items(topk_agg(domain2, 1)) AS domain2,
	items(topk_agg(domain3, 1)) AS domain3,
	'<' || items(topk_agg(domain4, 1)) || '>' AS domain4,
	items(topk_agg("integer[]", 1)) AS "integer[]",
	items(topk_agg("text[]", 1)) AS "text[]",
	items(topk_agg("timestamptz[]", 1)) AS "timestamptz[]",
	items(topk_agg("float8[]", 1)) AS "float8[]",
	items(topk_agg("bytea[]", 1)) AS "bytea[]",
	items(topk_agg("money[]", 1)) AS "money[]",
	items(topk_agg("tstzrange", 1)) AS "tstzrange",
	items(topk_agg("int4range", 1)) AS "int4range",
	items(topk_agg(moneyrange, 1)) AS moneyrange,
	items(topk_agg("datemultirange", 1)) AS "datemultirange",
	items(topk_agg(ROW("date", r, '1 day'::interval, '\x41'::bytea, money2), 1)) AS "record",
	items(topk_agg(ARRAY[ROW("timestamptz", "bytea")], 1)) AS "record[]"
	FROM held;
CREATE TABLE usual AS SELECT * FROM written;
SELECT key AS type, value AS text FROM usual, json_each_text(row_to_json(usual)) WITH ORDINALITY e(key, value, n) ORDER BY n;
-- By topk_add too; sketches of different columns of one kind go together.
SELECT items(topk_add(topk_empty(1), "timestamptz")) AS timestamptz,
	items(topk_add(topk_empty(1), "money[]")) AS money,
	items(topk_add(topk_add(topk_empty(2), "char(n)"), 'abc')) AS char,
	items(topk_agg("smallint", 1) || topk_agg("bigint", 1)) AS integers
FROM held GROUP BY "timestamptz", "money[]", "char(n)", "smallint", "bigint";

-- Settings that change what output functions write change nothing here, and are as they were afterwards.
CREATE FUNCTION under(setting text, given text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	before text;
	mine text;
	same boolean;
BEGIN
	PERFORM set_config(setting, given, true);
	SELECT md5(held::text) INTO before FROM held;
	SELECT written = usual INTO same FROM written, usual;
	SELECT md5(held::text) INTO mine FROM held;
	RETURN CASE WHEN same THEN 'the same' ELSE 'other texts' END || CASE WHEN mine <> before OR current_setting(setting) IS DISTINCT
	FROM given THEN ', but the session has changed' ELSE '' END;
END
$$;
SELECT setting,
	given,
	under(setting, given)
FROM (VALUES (1, 'TimeZone', 'Asia/Kathmandu'),
	(2, 'TimeZone', 'America/St_Johns'),
	(3, 'DateStyle', 'German, DMY'),
	(4, 'DateStyle', 'SQL, MDY'),
	(5, 'DateStyle', 'Postgres, YMD'),
	(6, 'IntervalStyle', 'iso_8601'),
	(7, 'IntervalStyle', 'sql_standard'),
	(8, 'IntervalStyle', 'postgres_verbose'),
	(9, 'extra_float_digits', '-15'),
	(10, 'extra_float_digits', '0'),
	(11, 'extra_float_digits', '3'),
	(12, 'bytea_output', 'escape'),
	(13, 'quote_all_identifiers', 'on'),
	(14, 'lc_monetary', 'POSIX'),
	(15, 'array_nulls', 'off'),
	(16, 'client_encoding', 'LATIN1')) t(n,
	setting,
	given) ORDER BY n;
-- All at once, and changed between the rows of one aggregate: by a function that each value comes through.
BEGIN;
SET LOCAL TimeZone = 'Asia/Kathmandu';
SET LOCAL DateStyle = 'German, DMY';
SET LOCAL IntervalStyle = 'iso_8601';
SET LOCAL extra_float_digits = -10;
SET LOCAL bytea_output = 'escape';
SELECT written = usual AS all_at_once FROM written, usual;
SELECT '2024-02-29 12:34:56+00'::timestamptz AS zone,
	'2024-02-29'::date AS date,
	interval '1 day' AS interval,
	1.5::float8 / 7 AS float,
	'\x00'::bytea AS bytea;
COMMIT;
CREATE FUNCTION disturbing(v timestamptz, i int) RETURNS timestamptz LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('TimeZone', (ARRAY['UTC', 'Asia/Tokyo', 'America/Lima'])[1 + i % 3], false),
	set_config('DateStyle', (ARRAY['ISO', 'SQL', 'German'])[1 + i % 3], false);
	RETURN v;
END
$$;
SELECT items(topk_agg(disturbing('2024-01-01 00:00+00'::timestamptz + (i % 4) * interval '1 hour', i), 5)) FROM generate_series(1, 50) i;
RESET TimeZone; RESET DateStyle;
-- An error in an output function leaves the settings as they were: a label that is not there any more.
CREATE TYPE short_lived AS ENUM ('a', 'b');
CREATE TABLE labels AS SELECT ARRAY['a', 'b']::short_lived[] AS l;
DELETE FROM pg_enum WHERE enumtypid = 'short_lived'::regtype AND enumlabel = 'b';
SET DateStyle = 'German';
DO $$ BEGIN PERFORM topk_agg(l, 5) FROM labels; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', regexp_replace(SQLERRM, '\d+', 'n'); END $$;
SELECT '2024-02-29'::date AS still_german;
RESET DateStyle;
DROP TABLE labels;

-- Equal values with several texts: the bytewise smallest, whatever the order, the
-- route, and how they are counted.
CREATE FUNCTION both_ways(texts text[], type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	ways text[];
BEGIN
	EXECUTE format($q$
		SELECT ARRAY[items(topk_agg(v, 5 ORDER BY n)), items(topk_agg(v, 5 ORDER BY n DESC)), items(topk_agg(v, 1, 2, 7 ORDER BY n)),
			(SELECT items(topk_union(s ORDER BY n)) FROM (SELECT n, topk_agg(v::%1$s, 5) AS s FROM unnest($1) WITH ORDINALITY t(v, n) GROUP BY n) p),
			(SELECT items(topk_union(s ORDER BY n DESC)) FROM (SELECT n, topk_agg(v::%1$s, 5) AS s FROM unnest($1) WITH ORDINALITY t(v, n) GROUP BY n) p),
			items(topk_add(topk_add(topk_empty(5), $1[1]::%1$s), $1[2]::%1$s)), items(topk_add(topk_add(topk_empty(5), $1[2]::%1$s), $1[1]::%1$s, 3))]
		FROM (SELECT v::%1$s AS v, n FROM unnest($1) WITH ORDINALITY t(v, n)) t $q$, type) INTO ways USING texts;
	RETURN CASE WHEN (SELECT count(DISTINCT w) FROM unnest(ways) w) = 1 THEN ways[1] ELSE array_to_string(ways, ' <> ') END;
END
$$;
SELECT type,
	texts,
	both_ways(texts, type)
FROM (VALUES (1, 'numeric', '{1,1.00,1.0,1.000}'::text[]),
	(2, 'numeric', '{-0.50,-0.5}'),
	(3, 'numeric', '{1e3,1000.0}'),
	(4, 'float8', '{0,-0}'),
	(5, 'real', '{-0,0}'),
	(6, 'float8', '{NaN,nan}'),
	(7, 'interval', '{"1 mon","30 days",720:00:00}'),
	(8, 'interval', '{24:00:00,"1 day"}'),
	(9, 'jsonb', '{"{\"a\": 1.0}","{\"a\": 1.00}"}'),
	(10, 'jsonb', '{"[1, 2.50]","[1, 2.5]"}'),
	(11, 'numeric[]', '{"{1.50,2}","{1.5,2.0}"}'),
	(12, 'float8[]', '{"{0,1}","{-0,1}"}'),
	(13, 'char(4)', '{ab,"ab  "}'),
	(14, 'numrange', '{"[1.0,2)","[1.00,2.0)"}'),
	(15, 'nummultirange', '{"{[1.0,2)}","{[1.00,2.0)}"}'),
	(16, 'pair', '{"(1,a,1.0)","(1,a,1.00)"}'),
	(17, 'price', '{1.5,1.50}'), (18, 'bpchar[]', '{"{\"ab  \"}","{\"ab \"}"}'), (19, 'inet', '{10.0.0.1,10.0.0.1/32}')) t(n, type, texts) ORDER BY n;
-- Of one kind, but of two types.
SELECT items(topk_agg('ab'::char(9), 5) || topk_agg('ab'::text, 5)) AS text,
	items(topk_agg('10.0.0.0/8'::cidr, 5) || topk_agg('10.0.0.0/8'::inet, 5)) AS inet,
	items(topk_agg(0.5::real, 5) || topk_agg(0.5::float8, 5)) AS half,
	items(topk_agg(0.1::real, 5) || topk_agg(0.1::real::float8, 5)) AS tenth,
	items(topk_add(topk_agg(0.1::real::float8, 5), 0.1::real)) AS added,
	items(topk_agg('10.0.0.1/32'::cidr, 5) || topk_agg('10.0.0.1'::inet, 5)) AS host,
	items(topk_agg(ARRAY['ab'::char(4)], 5) || topk_agg(ARRAY['ab'::char(3)], 5)) AS in_arrays;
-- After the text has changed, the counts are those of all.
SELECT * FROM topk_items((SELECT topk_agg(v::numeric, 5) FROM unnest(ARRAY['2.50', '1.0', '2.5000', '2.5', '1', '2.500', '1.00', '2.5']) v));
-- The shorter text is not longer than the longest one, and takes the place of one that is.
SELECT item, count FROM topk_items((SELECT topk_agg(v, 5) FROM (VALUES ('{1.0}'::numeric[]), (ARRAY[('1.' || repeat('0', 500))::numeric]), ('{1.00}')) t(v)));
-- A weight of 0 has no text.
SELECT items(topk_agg(v, 5, w)) FROM (VALUES (1.00, 1), (1.0, 0)) t(v, w);

-- Texts as they are: quotes, backslashes, line ends, blanks, none, composed and decomposed characters, the longest of them.
SELECT to_json(item),
	i.count,
	topk_count(s, item) = i.count AS found
FROM (SELECT topk_agg(v, 20) AS s
	FROM (VALUES ('it''s'),
		('a "b"'),
		(E'back\\slash'),
		(E'two\nlines'),
		(' '),
		(''),
		('NULL'),
		(U&'\00E9'),
		(U&'e\0301'),
		(U&'\+01F600'),
		('A'),
		('a')) t(v)) t,
	topk_items(s) i ORDER BY item COLLATE "C";
SELECT length(item),
	octet_length(item),
	count,
	item = repeat(U&'\4E9C', 3413) || 'x' AS same
FROM topk_items((SELECT topk_agg(repeat(U&'\4E9C', 3413) || 'x', 1) FROM generate_series(1, 3)));
-- Values that are stored in all ways.
CREATE TABLE stored (id int, extended text, external text);
ALTER TABLE stored ALTER external SET STORAGE external;
INSERT INTO stored SELECT i, repeat('text ' || i, i * 250), repeat('text ' || i, i * 250) FROM generate_series(1, 5) i;
SELECT length(item),
	count,
	item = repeat('text ' || (6 - rank), (6 - rank) * 250) AS same
FROM topk_items((SELECT topk_agg(v, 5, id) FROM stored, LATERAL (VALUES (extended), (external)) t(v)));

-- Enums go by label: what was counted before a label was changed is kept as it was.
CREATE TABLE moody AS SELECT topk_agg(m::mood, 5) AS s FROM unnest(ARRAY['calm', 'calm', 'two words']) m;
ALTER TYPE mood RENAME VALUE 'calm' TO 'quiet';
SELECT items(s || topk_agg('quiet'::mood, 5)), topk_count(s, 'quiet'::mood) AS quiet FROM moody GROUP BY s;

SET client_min_messages = warning;
DROP SCHEMA texts CASCADE;
