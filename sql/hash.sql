-- The hash contract as numbers. Every value has a byte image (docs/FORMAT.md),
-- and its hash is XXH3-64 of that image with the sketch's seed. Images and hashes
-- here were made by other programs than this extension; for an image in
-- hexadecimal digits and a seed anybody's xxHash gives the last column:
--
--   /usr/bin/python3 -c 'import sys, xxhash; print(xxhash.xxh3_64_hexdigest(
--     bytes.fromhex(sys.argv[1]), int(sys.argv[2]) % 2**64))' 0100000000000000 0

SET lc_monetary = 'C';
CREATE TYPE pg_temp.mood AS ENUM ('wild', 'calm');
CREATE DOMAIN pg_temp.small AS smallint;
CREATE TYPE pg_temp.triple AS (number smallint, name text, list numeric[]);
SET search_path = pg_temp, public;

CREATE TEMP TABLE golden (type text, value text, hash bigint, image bytea, xxh3 text);
INSERT INTO golden VALUES
	('boolean', $v$false$v$, sketch_hash(false), '\x0000000000000000', 'c77b3abb6f87acd9'),
	('boolean', $v$true$v$, sketch_hash(true), '\x0100000000000000', '2fbc593564db792e'),
	('smallint', $v$(-2)::smallint$v$, sketch_hash((-2)::smallint), '\xfeffffffffffffff', '77f9923217301859'),
	('integer', $v$1$v$, sketch_hash(1), '\x0100000000000000', '2fbc593564db792e'),
	('bigint', $v$9223372036854775807$v$, sketch_hash(9223372036854775807), '\xffffffffffffff7f', 'a233cf376558df46'),
	('oid', $v$4294967295::oid$v$, sketch_hash(4294967295::oid), '\xffffffff00000000', 'f0229c562a278d89'),
	('xid', $v$'7'::xid$v$, sketch_hash('7'::xid), '\x0700000000000000', '81671e58d6b596af'),
	('cid', $v$'7'::cid$v$, sketch_hash('7'::cid), '\x0700000000000000', '81671e58d6b596af'),
	('xid8', $v$'18446744073709551615'::xid8$v$, sketch_hash('18446744073709551615'::xid8), '\xffffffffffffffff', '5111c7e47d784413'),
	('real', $v$0.1::real$v$, sketch_hash(0.1::real), '\x000000a09999b93f', '55d86bc42c308476'),
	('double precision', $v$0.1::float8$v$, sketch_hash(0.1::float8), '\x9a9999999999b93f', 'c9d73e6076fe03cd'),
	('double precision', $v$'-0'::float8$v$, sketch_hash('-0'::float8), '\x0000000000000000', 'c77b3abb6f87acd9'),
	('double precision', $v$'-Infinity'::float8$v$, sketch_hash('-Infinity'::float8), '\x000000000000f0ff', '966b04ab6a2f4836'),
	('double precision', $v$'NaN'::float8$v$, sketch_hash('NaN'::float8), '\x000000000000f87f', '0aa61dcfa381c167'),
	('numeric', $v$1.50$v$, sketch_hash(1.50), '\x312e35', '3d006affbf7f50ee'),
	('numeric', $v$1e3$v$, sketch_hash(1e3), '\x31303030', 'ca214f37512d292c'),
	('numeric', $v$-0.00120$v$, sketch_hash(-0.00120), '\x2d302e30303132', '15e1586fde3bb977'),
	('numeric', $v$0.00$v$, sketch_hash(0.00), '\x30', '1982e3a7bb241055'),
	('numeric', $v$'NaN'::numeric$v$, sketch_hash('NaN'::numeric), '\x4e614e', '43de75858bed490b'),
	('numeric', $v$'-Infinity'::numeric$v$, sketch_hash('-Infinity'::numeric), '\x2d496e66696e697479', '724789b7971a666d'),
	('money', $v$'-12.34'::money$v$, sketch_hash('-12.34'::money), '\x2efbffffffffffff', '47f0155ad4f87de3'),
	('text', $v$''::text$v$, sketch_hash(''::text), '\x', '2d06800538d394c2'),
	('text', $v$'a'::text$v$, sketch_hash('a'::text), '\x61', 'e6c632b61e964e1f'),
	('text', $v$U&'Gr\00FC\00DFe \+01F600'::text$v$, sketch_hash(U&'Gr\00FC\00DFe \+01F600'::text), '\x4772c3bcc39f6520f09f9880', '81fc46cc40ea1f91'),
	('varchar', $v$'ab '::varchar$v$, sketch_hash('ab '::varchar), '\x616220', 'f8364a62a6f5676e'),
	('char(n)', $v$'ab '::char(9)$v$, sketch_hash('ab '::char(9)), '\x6162', 'a873719c24d5735c'),
	('name', $v$'ab'::name$v$, sketch_hash('ab'::name), '\x6162', 'a873719c24d5735c'),
	('"char"', $v$'x'::"char"$v$, sketch_hash('x'::"char"), '\x78', 'eaf06c6480b2cd11'),
	('bytea', $v$'\x00ff'::bytea$v$, sketch_hash('\x00ff'::bytea), '\x00ff', 'a99b043a346c8bf3'),
	('uuid', $v$'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid$v$, sketch_hash('a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid), '\xa0eebc999c0b4ef8bb6d6bb9bd380a11', '55df69482c6d3767'),
	('date', $v$date '2024-02-29'$v$, sketch_hash(date '2024-02-29'), '\x7922000000000000', 'd435203f9a7d938c'),
	('date', $v$date '1999-12-31'$v$, sketch_hash(date '1999-12-31'), '\xffffffffffffffff', '5111c7e47d784413'),
	('date', $v$date 'infinity'$v$, sketch_hash(date 'infinity'), '\xffffff7f00000000', '4f7eaf7f8d7636f2'),
	('timestamp', $v$timestamp '2000-01-02 00:00:01'$v$, sketch_hash(timestamp '2000-01-02 00:00:01'), '\x40a2e61d14000000', '73a3a199e90e4e67'),
	('timestamptz', $v$timestamptz '2000-01-01 00:00:00+01'$v$, sketch_hash(timestamptz '2000-01-01 00:00:00+01'), '\x005c6c29ffffffff', 'b2c40c5edcf77056'),
	('timestamptz', $v$timestamptz '-infinity'$v$, sketch_hash(timestamptz '-infinity'), '\x0000000000000080', '828f2476789a0e5f'),
	('time', $v$time '12:34:56.789'$v$, sketch_hash(time '12:34:56.789'), '\x0826e68b0a000000', '62e4f13cc9bfbc7b'),
	('timetz', $v$timetz '00:00:01+02'$v$, sketch_hash(timetz '00:00:01+02'), '\x40420f0000000000e0e3ffff', '4db151d29831184e'),
	('interval', $v$interval '1 month 1 day 1 second'$v$, sketch_hash(interval '1 month 1 day 1 second'), '\x40e2239d6f0200000000000000000000', '581d9b669638a652'),
	('interval', $v$interval '-1 second'$v$, sketch_hash(interval '-1 second'), '\xc0bdf0ffffffffffffffffffffffffff', '83a75ca50aba8db1'),
	('interval', $v$interval '178000000 years'$v$, sketch_hash(interval '178000000 years'), '\x0000805f4dea89222c01000000000000', 'd89ae320b494605c'),
	('inet', $v$inet '192.168.1.5/24'$v$, sketch_hash(inet '192.168.1.5/24'), '\x0418c0a80105', '02d4043ab6b24a28'),
	('inet', $v$inet '2001:db8::1'$v$, sketch_hash(inet '2001:db8::1'), '\x068020010db8000000000000000000000001', '2f100c88244ddd49'),
	('cidr', $v$cidr '10.0.0.0/8'$v$, sketch_hash(cidr '10.0.0.0/8'), '\x04080a000000', '54ec07595ce79c24'),
	('macaddr', $v$macaddr '08:00:2b:01:02:03'$v$, sketch_hash(macaddr '08:00:2b:01:02:03'), '\x08002b010203', 'd6f980e14eff2ef8'),
	('macaddr8', $v$macaddr8 '08:00:2b:01:02:03:04:05'$v$, sketch_hash(macaddr8 '08:00:2b:01:02:03:04:05'), '\x08002b0102030405', '2a5f33b8573bdb93'),
	('bit', $v$B'10110'$v$, sketch_hash(B'10110'), '\x05000000b0', '8c04d0de1750daf6'),
	('varbit', $v$''::varbit$v$, sketch_hash(''::varbit), '\x00000000', '48b2c92616fc193d'),
	('pg_lsn', $v$pg_lsn '1/2'$v$, sketch_hash(pg_lsn '1/2'), '\x0200000001000000', '2b0b237ed148b1e8'),
	('enum', $v$'calm'::mood$v$, sketch_hash('calm'::mood), '\x63616c6d', 'a7c5469cbaae1e79'),
	('domain', $v$7::small$v$, sketch_hash(7::small), '\x0700000000000000', '81671e58d6b596af'),
	('integer[]', $v$ARRAY[1, NULL, 3]$v$, sketch_hash(ARRAY[1, NULL, 3]), '\x010000000300000001000000080000000100000000000000ffffffff080000000300000000000000', 'f84e1f147a4d0b7b'),
	('text[]', $v$'[0:1][5:5]={{a},{bc}}'::text[]$v$, sketch_hash('[0:1][5:5]={{a},{bc}}'::text[]), '\x02000000020000000000000001000000050000000100000061020000006263', 'eda955dba820c0f1'),
	('date[]', $v$'{}'::date[]$v$, sketch_hash('{}'::date[]), '\x00000000', '48b2c92616fc193d'),
	('int4range', $v$'(0,2]'::int4range$v$, sketch_hash('(0,2]'::int4range), '\x02080000000100000000000000080000000300000000000000', '1313fe817c6fa9bf'),
	('numrange', $v$'(1.0,2.50]'::numrange$v$, sketch_hash('(1.0,2.50]'::numrange), '\x04010000003103000000322e35', '4dea44afd9c1dd1c'),
	('int8range', $v$'empty'::int8range$v$, sketch_hash('empty'::int8range), '\x01', 'e12ef9d2eb86ceeb'),
	('tsrange', $v$'[2000-01-01 00:00:01,)'::tsrange$v$, sketch_hash('[2000-01-01 00:00:01,)'::tsrange), '\x120800000040420f0000000000', 'f89ce02c5574379b'),
	('datemultirange', $v$'{(,1999-12-31),[2000-01-02,2000-01-03)}'::datemultirange$v$, sketch_hash('{(,1999-12-31),[2000-01-02,2000-01-03)}'::datemultirange), '\x020000000808000000ffffffffffffffff02080000000100000000000000080000000200000000000000', 'd77b8a2c9c285349'),
	('composite', $v$ROW(1, 'x', NULL)::triple$v$, sketch_hash(ROW(1, 'x', NULL)::triple), '\x0208000000010000000000000008010000007846ffffffff', 'c8de8a2f23682d79'),
	('record', $v$ROW(1.10, ARRAY['a'], ROW(true))$v$, sketch_hash(ROW(1.10, ARRAY['a'], ROW(true))), '\x0603000000312e3148110000000100000001000000010000000100000061190d00000001080000000100000000000000', '1842af973de8b8a9'),
	('composite[]', $v$ARRAY[ROW(1, 'x', '{2}')::triple]$v$, sketch_hash(ARRAY[ROW(1, 'x', '{2}')::triple]), '\x010000000100000001000000290000000208000000010000000000000008010000007846110000000100000001000000010000000100000032', '2572dd29f60e1526'),
	('jsonb', $v$'null'::jsonb$v$, sketch_hash('null'::jsonb), '\x6e', 'cbaa0f6724ae8b0a'),
	('jsonb', $v$'1.50'::jsonb$v$, sketch_hash('1.50'::jsonb), '\x6403000000312e35', '63382c135baf6c6c'),
	('jsonb', $v$'"x"'::jsonb$v$, sketch_hash('"x"'::jsonb), '\x730100000078', 'f2ba2772170a9e14'),
	('jsonb', $v$'{"b": [true, false, null, []], "aa": {}}'::jsonb$v$, sketch_hash('{"b": [true, false, null, []], "aa": {}}'::jsonb), '\x6f020000000200000061616f000000000100000062610400000074666e6100000000', '4cf68ffdead68e55'),
	('numeric', $v$100.0$v$, sketch_hash(100.0), '\x313030', 'e3cd843a18868415');
SELECT type, value, hash = sketch_hash(image) AS image, lpad(to_hex(hash), 16, '0') = xxh3 AS hash FROM golden
ORDER BY type COLLATE "C", value COLLATE "C";

-- A bytea is its own image, so these are the lengths at which XXH3 changes its ways.
SELECT length, lpad(to_hex(sketch_hash(repeat('a', length)::bytea)), 16, '0') = xxh3 AS bytea,
	lpad(to_hex(sketch_hash(repeat('a', length))), 16, '0') = xxh3 AS text
FROM (VALUES (0, '2d06800538d394c2'), (1, 'e6c632b61e964e1f'), (3, 'e4ba3228795dc9ef'),
	(4, '4b134ec1c5393727'), (8, 'c9dbc05573cd5d9a'), (9, 'e2137e26d8eed2c4'),
	(16, '13ba5039476cd10a'), (17, '39127b6816c5f92a'), (32, 'dbb6341d93939622'),
	(128, '7a22200aadc3d36c'), (129, '1586e7ed07cba75b'), (240, '993c46d96a01b5c6'),
	(241, 'f6cfef5c5aca1930'), (1024, '4a5d6b09a9587a1c'), (1025, 'd46a63acfb8da1ea'),
	(10000, 'b56762f6fe471911')) t(length, xxh3)
ORDER BY length;

-- Seeds.
SELECT seed, lpad(to_hex(sketch_hash(1, seed)), 16, '0') = of_1 AS integer,
	lpad(to_hex(sketch_hash('a', seed)), 16, '0') = of_a AS text,
	lpad(to_hex(sketch_hash(repeat('a', 300), seed)), 16, '0') = of_300_a AS long_text
FROM (VALUES (0, '2fbc593564db792e', 'e6c632b61e964e1f', 'c1d17581d8eb7e21'),
	(1, '85671091eda75eb5', 'd2f6d0996f37a720', '2fcb5cf80f9bc4a8'),
	(-1, '7928e38151286e3c', '43a7e49bc8a25756', '842089e3fecda59d'),
	(42, 'e3acd5dec7d7d3fb', '4c437dd47f0716f4', 'd15fd803104126eb'),
	(9223372036854775807, '05683cc23db8f640', '05d92d93dd9b64cc', '4f4e0147e7de19ed'),
	(-9223372036854775808, '8837c8454d2acc01', '2d595e0de968566a', '5009866f9cda0f1d')) t(seed, of_1, of_a, of_300_a)
ORDER BY seed;

-- Nothing that a session sets goes into it.
CREATE FUNCTION pg_temp.all_hashes() RETURNS bigint[] AS $$
	SELECT ARRAY[sketch_hash(timestamptz '2024-07-01 12:00:00+00'), sketch_hash('2024-07-01'::date), sketch_hash(0.1::float8),
		sketch_hash(0.1::real), sketch_hash('\xff00'::bytea), sketch_hash(interval '1 year 2 days'), sketch_hash(1.5),
		sketch_hash(tstzrange('2024-07-01 12:00:00+00', NULL)), sketch_hash(ROW(timestamptz '2024-07-01 12:00:00+00', 0.1::real)),
		sketch_hash(ARRAY[time '12:00']), sketch_hash('{"a": 1.0}'::jsonb), sketch_hash(timetz '12:00+00')]
$$ LANGUAGE sql;
CREATE TEMP TABLE before AS SELECT pg_temp.all_hashes() AS hashes;
SET timezone = 'Pacific/Chatham';
SET datestyle = 'German';
SET intervalstyle = 'iso_8601';
SET extra_float_digits = -5;
SET bytea_output = 'escape';
SELECT hashes = pg_temp.all_hashes() AS same FROM before;
