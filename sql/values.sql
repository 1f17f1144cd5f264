-- Values that are equal hash equally, and others do not, for every type that
-- has an image. Samples hold values that are equal although they look different.

SET lc_monetary = 'C';
CREATE SCHEMA samples;
SET search_path = samples, public;
CREATE TYPE mood AS ENUM ('wild', 'calm', 'Calm');
CREATE TYPE triple AS (number smallint, name text, list numeric[]);
CREATE TYPE pair AS (first char(3), second triple);
CREATE TYPE textrange AS RANGE (subtype = text, collation = "C");
CREATE TYPE floatrange AS RANGE (subtype = float8);
CREATE DOMAIN small AS smallint CHECK (VALUE > 0);
CREATE DOMAIN smaller AS small CHECK (VALUE < 9);
CREATE DOMAIN word AS varchar(20) NOT NULL;
CREATE DOMAIN padded AS char(4);
CREATE DOMAIN numbers AS numeric[];
CREATE DOMAIN humour AS mood;
CREATE DOMAIN span AS numrange;
CREATE DOMAIN spans AS nummultirange;
CREATE DOMAIN three AS triple;
CREATE DOMAIN document AS jsonb;

CREATE TABLE literals (type text, list text[]);
INSERT INTO literals VALUES
	('boolean', '{t,true,f,off,1}'),
	('smallint', '{1,01,-1,0,-0,32767,-32768}'),
	('integer', '{1,01,-1,0,-0,2147483647,-2147483648}'),
	('bigint', '{1,01,-1,0,-0,2147483648,9223372036854775807,-9223372036854775808}'),
	('oid', '{1,01,0,4294967295,-1}'),
	('xid', '{1,01,0,4294967295}'),
	('cid', '{1,01,0,4294967295}'),
	('xid8', '{1,01,0,4294967295,18446744073709551615}'),
	('real', '{0,-0,1,1.0,0.1,NaN,nan,Infinity,inf,-Infinity,1e-45,-1e-45,3.4e38}'),
	('double precision', '{0,-0,1000,1e3,0.1,0.1000000000000000055,NaN,nan,Infinity,inf,-inf,5e-324,-5e-324,1.7e308}'),
	('numeric', '{0,0.0,-0,-0.000,1,1.0,1.00,+1,-1,-1.0,1e3,1000,1000.0,100,10,0.1,0.10,.1,1e-5,0.00001,NaN,nan,Infinity,inf,-Infinity,1e200,10e199,123456789012345678901234567890.123456789,0.1e-100}'),
	('numeric(20,5)', '{0,1,1.0,1.000001,100,1e2}'),
	('money', '{1,$1.00,1.0,0,-0,-1,($1.00),100}'),
	('text', E'{a,a,A,"a ","",\u00E4,a\u0308,"\n",aa}'),
	('varchar', E'{a,a,A,"a ","",\u00E4,a\u0308,"\n",aa}'),
	('varchar(1)', '{a,"a ",A}'),
	('char(5)', '{a,"a ","a    ",A,"","  ",ab," a"}'),
	('name', '{a,a,A,"a ",""}'),
	('"char"', '{a,b,a,"",A}'),
	('bytea', '{"\\x00","\\x0000","\\x","\\\\000","\\x61",a}'),
	('uuid', '{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11,A0EEBC999C0B4EF8BB6D6BB9BD380A11,"{a0eebc999c0b4ef8bb6d6bb9bd380a11}",00000000-0000-0000-0000-000000000000}'),
	('date', '{2024-02-29,20240229,"29 Feb 2024",epoch,1970-01-01,infinity,-infinity,2000-01-01,"4713-01-01 BC"}'),
	('timestamp', '{2024-02-29,"2024-02-29 00:00:00.000000","2024-02-29 00:00:00.000001",epoch,1970-01-01,infinity,-infinity}'),
	('timestamptz', '{"2024-02-29 12:00+00","2024-02-29 14:00+02","2024-02-29 04:00 PST","2024-02-29 12:00+02",infinity,-infinity}'),
	('time', '{00:00,24:00,12:00,"12:00 PM",12:00:00.000001}'),
	('timetz', '{12:00+00,12:00:00+00:00,13:00+01,12:00+01,12:00-01}'),
	('interval', '{"1 day","24 hours","1 mon","30 days",720:00:00,"1 year","12 mons","360 days","365 days","0","-1 day","1 mon -30 days","1 day -24:00:00",00:00:00.000001,"178000000 years"}'),
	('inet', '{10.0.0.1,10.0.0.1/32,10.0.0.1/24,10.0.0.0/24,::1,::1/128,::,0.0.0.0,::ffff:10.0.0.1}'),
	('cidr', '{10.0.0.0/8,10/8,10.0.0.0/16,10.0.0.1,10.0.0.1/32,::/0,0.0.0.0/0}'),
	('macaddr', '{08:00:2b:01:02:03,08002b-010203,0800.2B01.0203,08:00:2b:01:02:04}'),
	('macaddr8', '{08:00:2b:01:02:03,08:00:2b:ff:fe:01:02:03,08:00:2b:01:02:03:04:05}'),
	('bit(4)', '{0000,0001,1000,x8}'),
	('bit varying', '{"",0,00,1,10,01,x8,1000,00000000,000000000}'),
	('pg_lsn', '{0/0,00/00,0/1,1/0,FFFFFFFF/FFFFFFFF,ffffffff/ffffffff}'),
	('mood', '{wild,calm,calm,Calm}'),
	('jsonb', ARRAY['null', 'true', '"true"', 'false', '1', '1.0', '1.00', '1e0', '"1"', '[1]', '[1.0]', '[[1]]', '[]', '{}',
		'[{}]', '[[]]', '""', '"a"', '{"a": 1, "bb": 2}', '{"bb":2.0,"a":1}', '{"a": 3, "bb": 2, "a": 1}', '{"a": 1}',
		'{"a": {"b": []}}', '{"a": {"b": {}}}', '[1, [2]]', '[[1], 2]', '[1, 2]', '[2, 1]', '{"a": null}', '["a", null]',
		'{"a":[{"x":1,"yy":[1.0]}]}', '{"a":[{"yy":[1],"x":1e0}]}']),
	('integer[]', '{"{1,2}","[1:2]={1,2}","[0:1]={1,2}","{2,1}","{}","{NULL}","{NULL,NULL}","{1,NULL}","{NULL,1}","{{1,2}}","{{1},{2}}","{1}"}'),
	('text[]', '{"{a,b}","{\"a\",b}","{ab}","{a,NULL}","{a,\"NULL\"}","{}","{\"\"}","{\"\",\"\"}"}'),
	('char(3)[]', '{"{a}","{\"a  \"}","{b}"}'),
	('numeric[]', '{"{1.0,2}","{1,2.00}","{1,3}"}'),
	('float8[]', '{"{0}","{-0}","{NaN}","{nan}","{1}"}'),
	('interval[]', '{"{1 day}","{24:00}","{2 days}"}'),
	('mood[]', '{"{wild,calm}","{wild,calm}","{calm,wild}"}'),
	('int4range[]', '{"{\"[1,3)\"}","{\"[1,2]\"}","{\"[1,3]\"}"}'),
	('triple[]', '{"{\"(1,x,{1.0})\"}","{\"(01,x,{1})\"}","{\"(2,x,{1})\"}","{NULL}"}'),
	('oidvector', '{"1 2","01 2","2 1","1",""}'),
	('int4range', '{"[1,3)","[1,2]","(0,2]","(0,3)",empty,"[1,1)","(,3)","[,3)","[1,)","(0,]","(,)"}'),
	('int8range', '{"[1,3)","[1,2]","(0,2]",empty,"(,)"}'),
	('numrange', '{"[1.0,2]","[1,2.00]","(1,2]","[1,2)","(1,2)",empty,"(1,1)","(,2]","[,2]"}'),
	('daterange', '{"[2024-01-01,2024-01-03)","[2024-01-01,2024-01-02]","[2024-01-01,infinity)","[2024-01-01,)"}'),
	('tsrange', '{"[2024-01-01,2024-01-03)","[2024-01-01 00:00,2024-01-03 00:00:00)","[2024-01-01,2024-01-03]"}'),
	('tstzrange', '{"[2024-01-01 00:00+00,)","[2024-01-01 01:00+01,]","(2024-01-01 00:00+00,)"}'),
	('textrange', '{"[a,b]","[\"a\",b]","[a,\"b \"]",empty,"(a,a)","[A,b]"}'),
	('floatrange', '{"[-0,1]","[0,1.0]","[0,1)","[0,NaN]","[0,nan]"}'),
	('int4multirange', '{"{}","{empty}","{[1,3),[3,5)}","{[1,5)}","{[1,4]}","{[1,2),[4,5)}","{(,)}"}'),
	('nummultirange', '{"{[1.0,2]}","{[1,2.0]}","{[1,2),(2,3]}","{[1,3]}","{(2,3],[1.0,2.0)}"}'),
	('triple', '{"(1,x,{1.0})","(01,x,{1})","(1,\"x\",\"{1.00}\")","(1,x,)","(1,\"\",)","(1,,)","(,,)"}'),
	('pair', '{"(a,\"(1,x,)\")","(\"a  \",\"(1,x,)\")","(b,\"(1,x,)\")","(a,\"(,,)\")","(a,)"}'),
	('small', '{1,01,2}'),
	('smaller', '{1,01,2}'),
	('word', '{a,a,A,"a "}'),
	('padded', '{a,"a ",b}'),
	('numbers', '{"{1.0}","{1}","{2}"}'),
	('humour', '{wild,calm,calm}'),
	('span', '{"[1.0,2]","[1,2.0]","[1,2)"}'),
	('spans', '{"{[1.0,2]}","{[1,2.0]}","{[1,2)}"}'),
	('three', '{"(1,x,{1.0})","(01,x,{1})","(2,x,{1})"}'),
	('document', '{1,1.0,2}');

-- How many samples, how many different ones; then for each pair of samples
-- whether their hashes are equal just where they are, alone, in an array and in
-- a row; then whether approx_count_distinct gives the number of different ones,
-- for them and for arrays of them. Rows of one column are compared since a
-- domain over an enum has no = of its own.
CREATE FUNCTION walk(type text, list text[], OUT samples bigint, OUT different bigint,
	OUT hash boolean, OUT in_array boolean, OUT in_row boolean, OUT counted boolean, OUT counted_arrays boolean) AS $$
BEGIN
	EXECUTE format($sql$
		WITH s AS MATERIALIZED (SELECT v, t AS r FROM (SELECT l::%s AS v FROM unnest($1) l) t)
		SELECT count(*),
			(SELECT count(*) FROM (SELECT DISTINCT v FROM s) d),
			(SELECT bool_and((a.r = b.r) = (sketch_hash(a.v) = sketch_hash(b.v))) FROM s a, s b),
			(SELECT bool_and((a.r = b.r) = (sketch_hash(ARRAY[a.v, a.v]) = sketch_hash(ARRAY[b.v, b.v]))) FROM s a, s b),
			(SELECT bool_and((a.r = b.r) = (sketch_hash(ROW(a.v, 1)) = sketch_hash(ROW(b.v, 1)))) FROM s a, s b),
			(SELECT approx_count_distinct(v) = (SELECT count(*) FROM (SELECT DISTINCT v FROM s) d) FROM s),
			(SELECT approx_count_distinct(ARRAY[v]) = (SELECT count(*) FROM (SELECT DISTINCT v FROM s) d) FROM s)
		FROM s
		$sql$, type)
	INTO samples, different, hash, in_array, in_row, counted, counted_arrays USING list;
END
$$ LANGUAGE plpgsql;
SELECT type, w.* FROM literals, walk(type, list) w ORDER BY type COLLATE "C";
-- count(DISTINCT) itself, but for xid and cid, which it can't sort.
CREATE FUNCTION as_count_distinct(type text, list text[]) RETURNS boolean AS $$
DECLARE
	same boolean;
BEGIN
	EXECUTE format('SELECT approx_count_distinct(l::%1$s) = count(DISTINCT l::%1$s) FROM unnest($1) l', type)
	INTO same USING list;
	RETURN same;
END
$$ LANGUAGE plpgsql;
SELECT bool_and(as_count_distinct(type, list)) AS same, count(*) FROM literals WHERE type NOT IN ('xid', 'cid');

-- Types of one kind: equal across them where a cast keeps them equal.
SELECT sketch_hash(1::smallint) = sketch_hash(1) AND sketch_hash(1) = sketch_hash(1::bigint)
		AND sketch_hash((-1)::smallint) = sketch_hash((-1)::bigint) AS integers,
	sketch_hash(1::oid) = sketch_hash('1'::xid) AND sketch_hash(1::oid) = sketch_hash('1'::cid) AS oids,
	sketch_hash(0.5::real) = sketch_hash(0.5::float8) AND sketch_hash(0.1::real) = sketch_hash(0.1::real::float8)
		AND sketch_hash(0.1::real) <> sketch_hash(0.1::float8) AS floats,
	sketch_hash('ab'::text) = sketch_hash('ab'::varchar) AND sketch_hash('ab'::text) = sketch_hash('ab'::name)
		AND sketch_hash('ab'::text) = sketch_hash('ab '::char(3)) AND sketch_hash('ab'::text) = sketch_hash('ab') AS texts,
	sketch_hash('10.0.0.0/8'::inet) = sketch_hash('10.0.0.0/8'::cidr) AS inets,
	sketch_hash(B'101') = sketch_hash('101'::varbit) AS bits,
	sketch_hash(1::small) = sketch_hash(1::smallint) AND sketch_hash('a'::word) = sketch_hash('a'::text)
		AND sketch_hash('calm'::humour) = sketch_hash('calm'::mood) AS domains,
	sketch_hash('{1,2}'::smallint[]) = sketch_hash('{1,2}'::bigint[])
		AND sketch_hash('{ab}'::text[]) = sketch_hash('{"ab "}'::char(3)[]) AS arrays,
	sketch_hash('[1,3)'::int4range) = sketch_hash('[1,2]'::int8range) AS ranges,
	sketch_hash(ROW(1, 'a')) = sketch_hash(ROW(1::bigint, 'a'::name)) AS rows;
-- A NaN may have any sign and payload: this one's sign depends on the processor.
SELECT sketch_hash('Infinity'::float8 - 'Infinity') = sketch_hash('NaN'::float8) AS nan,
	sketch_hash('NaN'::float8) = sketch_hash('NaN'::real) AS real;
SELECT # (hll_agg(1::smallint) || hll_agg(1) || hll_agg(1::bigint)) AS one,
	# (hll_agg('a'::text) || hll_agg('a'::varchar) || hll_agg('a '::char(3)) || hll_agg('a'::name)) AS one_too,
	hll_add(hll_agg('10.0.0.0/8'::inet), '10.0.0.0/8'::cidr) = hll_agg('10.0.0.0/8'::inet) AS inet_and_cidr,
	hll_agg('calm'::mood) = hll_agg('calm'::humour) AS enum_and_domain;

-- Deterministic collations make no difference.
SELECT sketch_hash(v COLLATE "C") = sketch_hash(v) AS c, sketch_hash(v COLLATE "und-x-icu") = sketch_hash(v) AS icu,
	sketch_hash(ARRAY[v COLLATE "und-x-icu"]) = sketch_hash(ARRAY[v]) AS in_array
FROM (VALUES (U&'\00E4')) t(v);
SELECT hll_agg(v COLLATE "und-x-icu") = hll_agg(v) AS aggregate FROM (VALUES (U&'\00E4'), ('Z')) t(v);

-- Rows of a table: dropped columns are no part of them, added ones with a default are.
CREATE TABLE changing (a int, b text, c int);
INSERT INTO changing VALUES (1, 'x', 2);
SELECT sketch_hash(t) = sketch_hash(ROW(1, 'x', 2)) AS row FROM changing t;
ALTER TABLE changing DROP COLUMN b;
SELECT sketch_hash(t) = sketch_hash(ROW(1, 2)) AS dropped FROM changing t;
ALTER TABLE changing ADD COLUMN d text DEFAULT 'new';
INSERT INTO changing VALUES (1, 2, 'new'), (1, 2, NULL), (1, 2, 'newer');
SELECT sketch_hash(t) = sketch_hash(ROW(1, 2, 'new')) AS added FROM changing t;
SELECT approx_count_distinct(t) AS three, hll_count(hll_agg(t)) AS three_too FROM changing t;

-- An enum goes by its label, wherever it stands in the order, in whatever type.
CREATE TYPE other_mood AS ENUM ('calm', 'wild');
SELECT sketch_hash('wild'::mood) = sketch_hash('wild'::other_mood) AS label;
ALTER TYPE mood ADD VALUE 'middling' BEFORE 'calm';
SELECT sketch_hash('calm'::mood) = sketch_hash('calm'::other_mood) AS still;
ALTER TYPE mood RENAME VALUE 'calm' TO 'quiet';
SELECT sketch_hash('quiet'::mood) = sketch_hash('calm'::other_mood) AS renamed;

SET client_min_messages = warning;
DROP SCHEMA samples CASCADE;
