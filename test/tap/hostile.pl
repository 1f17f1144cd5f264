# Bytes that somebody made up, through every door: text input, binary receive and
# the cast from bytea. What comes of it is an error of the right class or a sketch
# that every function takes; the backend lives on.

use strict;
use warnings;

use BinaryClient;
use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('hostile');

# ---------------------------------------------------------------------------
# Two of the doors: each gives the stored image in hex, or an SQLSTATE.

ask($node, <<'SQL');
CREATE FUNCTION by_cast(image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::hll;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;

CREATE FUNCTION by_text(image text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::hll;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;

-- The stored image of a sketch that was accepted, run through every function. What
-- is wrong with it, or NULL.
CREATE FUNCTION complaint(h hll, good hll[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	info record := hll_info(h);
	before text := h;
	other record;
	bounds record := hll_bounds(h);
	overlap record := hll_overlap(h, h);
	turned record;
	g hll;
BEGIN
	IF info.representation NOT IN ('empty', 'sparse', 'dense') OR info.bytes <> pg_column_size(h::bytea || '')
		THEN RETURN 'info'; END IF;
	IF (info.representation = 'empty') <> (info.value_type IS NULL)
		OR (info.registers_used = 0) <> (info.value_type IS NULL) THEN RETURN 'empty'; END IF;
	IF hll_count(h) < 0 OR (hll_count(h) = 0) <> (info.registers_used = 0) OR # h <> hll_count(h)
		THEN RETURN 'count'; END IF;
	IF bounds.lower < 0 OR bounds.lower > bounds.estimate OR bounds.estimate <> hll_count(h) OR bounds.upper < bounds.estimate
		OR hll_bounds(h, 0.95) <> bounds THEN RETURN 'bounds'; END IF;
	IF least(overlap.only_a, overlap.only_b, overlap.both) < 0 OR overlap.only_a <> overlap.only_b
		OR overlap.only_a + overlap.only_b + overlap.both <> overlap.total OR (overlap.total = 0) <> (hll_count(h) = 0)
		OR NOT overlap.jaccard BETWEEN 0 AND 1 THEN RETURN 'overlap with itself'; END IF;
	IF h::bytea::hll <> h OR h::text::hll <> h THEN RETURN 'round trip'; END IF;
	IF h || h <> h OR hll_union(h, hll_empty()) <> h OR hll_union(hll_empty(), h) <> h THEN RETURN 'union'; END IF;
	IF (SELECT hll_union(x) FROM (VALUES (NULL), (h), (hll_empty()), (h)) AS sketches (x)) <> h
		THEN RETURN 'aggregate'; END IF;
	IF NOT (h = h AND h <= h AND h >= h) OR h <> h OR h < h OR h > h OR hll_cmp(h, h) <> 0 THEN RETURN 'order'; END IF;
	IF hll_hash(h) <> hll_hash(h::text::hll) OR hll_hash_extended(h, 1) <> hll_hash_extended(h::text::hll, 1)
		THEN RETURN 'hash'; END IF;
	IF info.precision IS NOT NULL THEN
		IF hll_reduce(h, info.precision) <> h THEN RETURN 'reduce'; END IF;
		IF info.precision > 5 AND hll_reduce(hll_reduce(h, info.precision - 1), 4) <> hll_reduce(h, 4)
			THEN RETURN 'reduce twice'; END IF;
	END IF;
	FOREACH g IN ARRAY good LOOP
		other := hll_info(g);
		IF info.precision = other.precision AND info.seed = other.seed AND info.value_type = other.value_type THEN
			IF h || g <> g || h OR (h || g) || h <> h || g
				OR hll_count(h || g) < hll_count(h) - hll_count(h) / 4 - 2 THEN RETURN 'union of two'; END IF;
			overlap := hll_overlap(h, g);
			turned := hll_overlap(g, h);
			IF (overlap.only_a, overlap.only_b, overlap.both, overlap.total, overlap.jaccard)
				<> (turned.only_b, turned.only_a, turned.both, turned.total, turned.jaccard)
				OR least(overlap.only_a, overlap.only_b, overlap.both) < 0 OR NOT overlap.jaccard BETWEEN 0 AND 1
				OR overlap.only_a + overlap.only_b + overlap.both <> overlap.total THEN RETURN 'overlap of two'; END IF;
		END IF;
	END LOOP;
	IF info.value_type = 'integer' OR info.precision IS NULL THEN
		IF hll_add(hll_add(h, 5), 5) <> hll_add(h, 5) OR hll_add(hll_add(h, 5), 6) <> hll_add(hll_add(h, 6), 5)
			THEN RETURN 'add'; END IF;
	ELSIF info.value_type = 'text' THEN
		IF hll_add(hll_add(h, 'a'), 'b') <> hll_add(hll_add(h, 'b'), 'a') THEN RETURN 'add'; END IF;
	END IF;
	RETURN CASE WHEN h::text <> before THEN 'an argument was changed' END;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;

-- ---------------------------------------------------------------------------
-- Good images of every form. Without a final function an aggregate gives its
-- state as it is, in a working form.

CREATE AGGREGATE raw_agg(bigint, int) (SFUNC = hll_agg_step, STYPE = hll);
CREATE AGGREGATE raw_agg(text, int, bigint) (SFUNC = hll_agg_step, STYPE = hll);
CREATE TABLE good (name text PRIMARY KEY, image bytea);
INSERT INTO good VALUES ('parameterless', hll_empty()::bytea), ('empty', hll_empty(4)::bytea),
	('empty, seed', hll_empty(18, -2)::bytea);
INSERT INTO good SELECT 'sparse, one', hll_agg(i)::bytea FROM generate_series(1, 1) i;
INSERT INTO good SELECT 'sparse, seed', hll_agg('v' || i, 16, 7)::bytea FROM generate_series(1, 5) i;
INSERT INTO good SELECT 'sparse, ranks', hll_agg(i, 18)::bytea FROM (VALUES (2), (97)) t(i);
INSERT INTO good SELECT 'sparse, full', hll_agg(i, 10)::bytea FROM generate_series(1, 120) i;
INSERT INTO good SELECT 'dense, small', hll_agg(i, 4)::bytea FROM generate_series(1, 40) i;
INSERT INTO good SELECT 'dense, seed', hll_agg('v' || i, 4, 7)::bytea FROM generate_series(1, 9) i;
INSERT INTO good SELECT 'dense', hll_agg(i, 10)::bytea FROM generate_series(1, 700) i;
INSERT INTO good SELECT 'sparse table, small', raw_agg(i, 4)::bytea FROM generate_series(1, 2) i;
INSERT INTO good SELECT 'sparse table, seed', raw_agg('v' || i, 16, 7)::bytea FROM generate_series(1, 5) i;
INSERT INTO good SELECT 'sparse table, full', raw_agg(i, 10)::bytea FROM generate_series(1, 120) i;
INSERT INTO good SELECT 'dense bytes, small', raw_agg(i, 4)::bytea FROM generate_series(1, 40) i;
INSERT INTO good SELECT 'dense bytes, seed', raw_agg('v' || i, 4, 7)::bytea FROM generate_series(1, 9) i;
INSERT INTO good SELECT 'dense bytes', raw_agg(i, 10)::bytea FROM generate_series(1, 700) i;
SQL

is( ask($node, q{SELECT string_agg(form, ' ' ORDER BY form)
	FROM (SELECT DISTINCT split_part(name, ',', 1) || '=' || get_byte(image, 1) % 8 AS form FROM good) t}),
	'dense bytes=3 dense=1 empty=0 parameterless=0 sparse table=2 sparse=0', 'the good images are of all forms');

# ---------------------------------------------------------------------------
# Bad images: every prefix and every single-byte change of the good ones. Images
# beyond 100 bytes have all changes in their heads; further on, single bits are
# flipped, and bytes set to 0, 255 and what their neighbour is.

ask($node, <<'SQL');
CREATE TABLE tried (source text, image bytea);
INSERT INTO tried SELECT name, image FROM good;
INSERT INTO tried SELECT name || ', prefix', substr(image, 1, n) FROM good, generate_series(0, length(image) - 1) n;
INSERT INTO tried SELECT name || ', longer', image || tail
	FROM good, (VALUES ('\x00'::bytea), ('\x01'), ('\xff'), ('\x00000000')) t(tail);
INSERT INTO tried SELECT name || ', twice', image || image FROM good;
INSERT INTO tried SELECT name || ', byte', set_byte(image, at, byte)
	FROM good, generate_series(0, length(image) - 1) at, generate_series(0, 255) byte
	WHERE (at < 16 OR length(image) <= 100) AND get_byte(image, at) <> byte;
INSERT INTO tried SELECT name || ', byte', set_byte(image, at, byte)
	FROM good, generate_series(16, length(image) - 1) at,
	LATERAL (SELECT get_byte(image, at) # (1 << bit) FROM generate_series(0, 7) bit
		UNION VALUES (0), (255), (get_byte(image, at - 1))) t(byte)
	WHERE length(image) > 100 AND get_byte(image, at) <> byte;

-- Random strings: half without any sense; half with a head that is right and a body
-- whose length is often right, and whose bytes are often small.
SELECT setseed(0.25);
CREATE FUNCTION noise(length int, bits int) RETURNS bytea LANGUAGE sql VOLATILE AS $$
	SELECT coalesce(decode(string_agg(lpad(to_hex(floor(random() * (1 << bits))::int), 2, '0'), ''), 'hex'), '')
		FROM generate_series(1, length)
$$;
INSERT INTO tried SELECT 'random', noise(floor(random() * random() * 300)::int, 8) FROM generate_series(1, 4000);
INSERT INTO tried
SELECT 'random body', '\x11'::bytea || set_byte('\x10', 0, 16 + form + 8 * has_seed) || set_byte('\x00', 0, kind)
	|| substr(noise(8, 8), 1, 8 * has_seed) || set_byte('\x04', 0, p) || noise(sizes[1 + i % 8], bits)
FROM (SELECT i, form, p, ARRAY[3 << p >> 2, 1 << p, 1 << p, 8, 16, 36, 2, floor(random() * 60)::int] AS sizes,
		floor(random() * 1.2)::int AS has_seed, (ARRAY[2, 8, 8, 0, 72, 28, 29])[ceil(random() * 7)] AS kind,
		ceil(random() * 8)::int AS bits
	FROM (SELECT i, floor(random() * 5)::int AS form, 3 + floor(random() * 6)::int AS p
		FROM generate_series(1, 8000) i) t) t;
SQL

# All in one backend, which is still the same one at the end.
my ($pid, $pid_after) = split /\n/, ask($node, q{
	SET statement_timeout = '100s';
	SELECT pg_backend_pid();
	CREATE TABLE verdicts AS
	SELECT source, image, by_cast(image) AS cast_verdict, by_text(image::text) AS text_verdict,
		NULL AS binary_verdict FROM tried;
	CREATE TABLE complaints AS
	SELECT cast_verdict AS image, complaint(cast_verdict::hll, (SELECT array_agg(image::hll) FROM good)) AS complaint
	FROM (SELECT DISTINCT cast_verdict FROM verdicts WHERE starts_with(cast_verdict, '\x')) accepted;
	SELECT pg_backend_pid()});
is($pid_after, $pid, 'the backend has lived on');

# The third door, in one backend too: the client dies when the connection does.
my @images = split /\n/, ask($node, 'SELECT DISTINCT image FROM tried');
my $client = BinaryClient->new($node, 'postgres', 'SELECT $1::hll');
my @answers = $client->answers(map { pack 'H*', substr($_, 2) } @images);
my $file = PostgreSQL::Test::Utils::tempdir() . '/answers';
append_to_file($file, join '', map { "$images[$_]\t$answers[$_]\n" =~ s/\\/\\\\/gr } 0 .. $#images);
ask($node, qq{
	CREATE TABLE answers (image bytea PRIMARY KEY, answer text);
	COPY answers FROM '$file';
	UPDATE verdicts v SET binary_verdict = answer FROM answers a WHERE a.image = v.image});

is(ask($node, q{SELECT count(*) FROM verdicts WHERE cast_verdict IS NULL
	OR cast_verdict !~ '^(\\\\x[0-9a-f]+|22P03)$'}),
	0, 'bytes are a sketch or an error with 22P03');
is( ask($node, q{SELECT count(*) FROM verdicts
		WHERE text_verdict IS DISTINCT FROM cast_verdict OR binary_verdict IS DISTINCT FROM cast_verdict}),
	0, 'all doors agree');
is(ask($node, q{SELECT count(*) FROM verdicts JOIN good ON name = source WHERE cast_verdict = '22P03'}),
	0, 'good images are taken');
is( ask($node, q{SELECT string_agg(DISTINCT split_part(source, ',', 1) || split_part(source, ',', 3), '; ')
	FROM verdicts
		WHERE source ~ ', (prefix|longer|twice)$' AND cast_verdict <> '22P03'}),
	'sparse table longer; sparse table prefix', 'no other length is taken, but a table with more or fewer free slots');
is( ask($node, q{SELECT count(*) FROM verdicts WHERE cast_verdict <> '22P03' AND get_byte(image, 1) % 8 < 2
	AND cast_verdict <> image::text}),
	0, 'images in a form at rest are stored as they are');
is( ask($node, q{SELECT count(*) FROM verdicts
		WHERE cast_verdict <> '22P03' AND get_byte(cast_verdict::bytea, 1) % 8 > 1}),
	0, 'all are stored in a form at rest');
is( ask($node, q{SELECT complaint, count(*), min(image) FROM complaints WHERE complaint IS NOT NULL GROUP BY complaint}),
	'', 'every function takes what was taken');

# The tests have bitten: each kind of source has both outcomes, where it can.
note(ask($node, q{SELECT source, count(*), count(*) FILTER (WHERE cast_verdict <> '22P03') FROM verdicts
	GROUP BY source ORDER BY source}));
is( ask($node, q{SELECT count(*) FILTER (WHERE n >= 1), bool_and(n < total)
	FROM (SELECT count(*) FILTER (WHERE cast_verdict <> '22P03') AS n, count(*) AS total
		FROM verdicts WHERE source ~ ', byte$|^random' GROUP BY source) t}),
	'17|t', 'some changes give other sketches, some errors');
cmp_ok(ask($node, 'SELECT count(*) FROM complaints'), '>', 1000, 'many different sketches were tried');

# ---------------------------------------------------------------------------
# Text that is no hex, and a message that is no bytes of a sketch at all.

for my $text ('', 'x', '\\', '\\x1', '\\x111', '\\xzz', '\\x 11', '11', 'x1110000000', '\\X1110000000',
	'\\x1110000000 ', ' \\x1110000000', "\\\\x1110000000", '\\x11100000é')
{
	is(ask($node, "SELECT by_text(\$text\$$text\$text\$)"), '22P02', "no hex: <$text>");
}
is(ask($node, q{SELECT by_text('\x1110020E0164F1BE02') = by_text('\x1110020e0164f1be02')}), 't', 'upper case is hex');
is(ask($node, q{SELECT by_text('\x')}), '22P03', 'no bytes');

# ---------------------------------------------------------------------------
# The same for bloom. Its images have no redundancy but in the head, so all that is
# behind may be anything; a look-up must be right whichever way it reads.

ask($node, <<'SQL');
CREATE FUNCTION bloom_by_cast(image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::bloom;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE FUNCTION bloom_by_text(image text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::bloom;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;

CREATE FUNCTION bloom_complaint(f bloom) RETURNS text LANGUAGE plpgsql SET client_min_messages = error AS $$
DECLARE
	info record := bloom_info(f);
	before text := f;
	g bloom;
BEGIN
	IF info.bytes <> pg_column_size(f::bytea || '') OR info.items <> bloom_count(f) THEN RETURN 'info'; END IF;
	IF (info.layers IS NULL) <> (info.capacity IS NULL) OR info.scalable <> (get_byte(f::bytea, 1) % 8 = 2)
		OR (info.layers <> 1 AND NOT info.scalable) THEN RETURN 'layers'; END IF;
	IF (info.bits_set = 0) <> (info.value_type IS NULL) OR info.items < 0 OR NOT info.fill_ratio BETWEEN 0 AND 1
		OR NOT info.expected_rate BETWEEN 0 AND 1 OR info.saturated <> (info.expected_rate > 1.25 * info.target_rate) THEN RETURN 'fill'; END IF;
	IF f::bytea::bloom <> f OR f::text::bloom <> f THEN RETURN 'round trip'; END IF;
	IF f || f <> f OR (SELECT bloom_union(x) FROM (VALUES (NULL), (f), (f)) AS filters (x)) <> f THEN RETURN 'union'; END IF;
	IF NOT (f = f AND f <= f AND f >= f) OR f <> f OR bloom_cmp(f, f) <> 0
		OR bloom_hash(f) <> bloom_hash(f::text::bloom) THEN RETURN 'order'; END IF;
	-- What says that it is full grows by a layer for twice as many.
	IF coalesce(info.value_type, 'integer') = 'integer' AND info.capacity IS NOT NULL AND NOT (info.scalable AND info.capacity > 1000000) THEN
		g := bloom_add(bloom_add(f, 5), 6);
		IF NOT bloom_contains(g, 5) OR NOT bloom_contains(g, 6) OR g || f <> g
			OR NOT info.scalable AND g <> bloom_add(bloom_add(f, 6), 5) THEN RETURN 'add'; END IF;
	END IF;
	RETURN CASE WHEN f::text <> before THEN 'an argument was changed' END;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;

-- A filter in the form for building, in which some hashes wait.
CREATE FUNCTION building(f bloom, waiting bytea) RETURNS bytea LANGUAGE sql AS $$
	SELECT set_byte(f::bytea, 1, get_byte(f::bytea, 1) | 1) || set_byte('\x00000000', 0, length(waiting) / 8) || waiting
		|| decode(repeat('00', 128 - length(waiting)), 'hex') $$;
CREATE TABLE good_filters (name text PRIMARY KEY, image bytea);
INSERT INTO good_filters SELECT 'parameterless', bloom_agg(i, 1, 0.5)::bytea FROM generate_series(1, 0) i;
INSERT INTO good_filters VALUES ('empty', bloom_empty(10, 0.01)::bytea), ('empty, seed', bloom_empty(30, 0.1, -2)::bytea);
INSERT INTO good_filters SELECT 'one block', bloom_agg(i, 10, 0.01)::bytea FROM generate_series(1, 10) i;
INSERT INTO good_filters SELECT 'seed', bloom_agg('v' || i, 100, 0.01, 7)::bytea FROM generate_series(1, 100) i;
INSERT INTO good_filters SELECT 'large block', bloom_agg(i, 10, 1e-4)::bytea FROM generate_series(1, 10) i;
INSERT INTO good_filters SELECT 'building', building(bloom_agg(i, 100, 0.01), '\x0123456789abcdef')
	FROM generate_series(1, 10) i;
INSERT INTO good_filters SELECT 'building, seed', building(bloom_agg(i, 10, 0.01, 3), '') FROM generate_series(1, 10) i;
CREATE AGGREGATE collecting(int) (SFUNC = bloom_agg_step, STYPE = bloom);
INSERT INTO good_filters SELECT 'a layer', bloom_agg(i)::bytea FROM generate_series(1, 10) i;
INSERT INTO good_filters SELECT 'two layers', bloom_add(bloom_agg(i), 99)::bytea FROM generate_series(1, 3) i;
INSERT INTO good_filters SELECT 'oversized', set_byte(bloom_agg(i)::bytea, 1, 20) FROM generate_series(1, 100) i;
INSERT INTO good_filters SELECT 'collecting', collecting(i)::bytea FROM generate_series(1, 10) i;

CREATE TABLE tried_filters (source text, image bytea);
INSERT INTO tried_filters SELECT name, image FROM good_filters;
INSERT INTO tried_filters SELECT name || ', prefix', substr(image, 1, n)
	FROM good_filters, generate_series(0, length(image) - 1) n;
INSERT INTO tried_filters SELECT name || ', longer', image || tail
	FROM good_filters, (VALUES ('\x00'::bytea), ('\xff'), (decode(repeat('01', 64), 'hex')),
		(decode(repeat('00', 512), 'hex'))) t(tail);
INSERT INTO tried_filters SELECT name || ', head', set_byte(image, at, byte)
	FROM good_filters, generate_series(0, least(27, length(image) - 1)) at, generate_series(0, 255) byte
	WHERE get_byte(image, at) <> byte;
INSERT INTO tried_filters SELECT name || ', body', set_byte(image, at, byte)
	FROM good_filters, generate_series(28, length(image) - 1) at, unnest(ARRAY[0, 1, 17, 128, 255]) byte
	WHERE get_byte(image, at) <> byte;
INSERT INTO tried_filters SELECT 'random', noise(floor(random() * random() * 300)::int, 8) FROM generate_series(1, 2000);
INSERT INTO tried_filters
SELECT 'random body', '\x21'::bytea || set_byte('\x10', 0, 16 + floor(random() * 5)::int) || '\x02'
	|| noise(2, 8) || '\x000000000000' || noise(6, 8) || set_byte('\xf03f', 0, 128 + i % 120)
	|| set_byte('\x00', 0, floor(random() * 70)::int) || noise((ARRAY[64, 128, 512, 196, 63])[1 + i % 5], 8)
FROM generate_series(1, 2000) i;
SQL

($pid, $pid_after) = split /\n/, ask($node, q{
	SET statement_timeout = '100s';
	SELECT pg_backend_pid();
	CREATE TABLE filter_verdicts AS
	SELECT source, image, bloom_by_cast(image) AS cast_verdict, bloom_by_text(image::text) AS text_verdict,
		NULL AS binary_verdict FROM tried_filters;
	CREATE TABLE filter_complaints AS
	SELECT cast_verdict AS image, bloom_complaint(cast_verdict::bloom) AS complaint
	FROM (SELECT DISTINCT cast_verdict FROM filter_verdicts WHERE starts_with(cast_verdict, '\x')) accepted;
	SELECT pg_backend_pid()});
is($pid_after, $pid, 'bloom: the backend has lived on');
@images = split /\n/, ask($node, 'SELECT DISTINCT image FROM tried_filters');
$client = BinaryClient->new($node, 'postgres', 'SELECT $1::bloom');
@answers = $client->answers(map { pack 'H*', substr($_, 2) } @images);
my $filter_file = PostgreSQL::Test::Utils::tempdir() . '/filter_answers';
append_to_file($filter_file, join '', map { "$images[$_]\t$answers[$_]\n" =~ s/\\/\\\\/gr } 0 .. $#images);
ask($node, qq{
	CREATE TABLE filter_answers (image bytea, answer text);
	COPY filter_answers FROM '$filter_file';
	CREATE INDEX ON filter_answers (md5(image));
	UPDATE filter_verdicts v SET binary_verdict = answer FROM filter_answers a
		WHERE md5(v.image) = md5(a.image) AND v.image = a.image});
is(ask($node, q{SELECT count(*) FROM filter_verdicts WHERE cast_verdict IS NULL
	OR cast_verdict !~ '^(\\\\x[0-9a-f]+|22P03)$'}), 0, 'bloom: bytes are a filter or an error with 22P03');
is( ask($node, q{SELECT count(*) FROM filter_verdicts
		WHERE text_verdict IS DISTINCT FROM cast_verdict OR binary_verdict IS DISTINCT FROM cast_verdict}),
	0, 'bloom: all doors agree');
is(ask($node, q{SELECT count(*) FROM filter_verdicts JOIN good_filters ON name = source WHERE cast_verdict = '22P03'}),
	0, 'bloom: good images are taken');
is( ask($node, q{SELECT count(*) FROM filter_verdicts WHERE cast_verdict <> '22P03' AND get_byte(image, 1) % 8 IN (0, 2)
	AND cast_verdict <> image::text}),
	0, 'bloom: images in the form at rest are stored as they are');
is(ask($node, q{SELECT count(*) FROM filter_verdicts WHERE cast_verdict <> '22P03' AND get_byte(cast_verdict::bytea, 1) % 8 NOT IN (0, 2)}),
	0, 'bloom: all are stored in the form at rest');
is( ask($node, q{SELECT complaint, count(*), min(image) FROM filter_complaints WHERE complaint IS NOT NULL
		GROUP BY complaint}),
	'', 'bloom: every function takes what was taken');
is(ask($node, q{SELECT bloom_by_cast('\x211001')}), '22P03', 'bloom: no kind of value without parameters');
note(ask($node, q{SELECT source, count(*), count(*) FILTER (WHERE cast_verdict <> '22P03') FROM filter_verdicts
	GROUP BY source ORDER BY source}));
cmp_ok(ask($node, 'SELECT count(*) FROM filter_complaints'), '>', 1000, 'bloom: many different filters were tried');

# A filter of more than half of the limit of 1 GB exists, but not as text. It takes its
# 559 MB, and more where the check comes too late.
SKIP:
{
	my ($available) = -r '/proc/meminfo' ? slurp_file('/proc/meminfo') =~ /^MemAvailable:\s+(\d+) kB$/m : ();
	skip 'less than 2 GB of memory are available', 2 if ($available // 0) < 2 << 20;
	is(ask($node, 'SELECT bytes BETWEEN 1 << 29 AND 1 << 30 FROM bloom_sizing(450000000, 0.01)'), 't', 'bloom: a filter of more than 512 MB');
	fails_with($node, 'SELECT bloom_empty(450000000, 0.01)::text', '54000',
		'sketch of \d+ bytes is too large for its text form', 'bloom: too large for text');
}

# Damage to what lies in a table already: with a cast that checks nothing, a column of
# bytea is one of bloom. A look-up that reads slices says what one says that has all.
ask($node, q{
	ALTER EXTENSION bloomsketch DROP CAST (bytea AS bloom);
	DROP CAST (bytea AS bloom);
	CREATE CAST (bytea AS bloom) WITHOUT FUNCTION;
	CREATE FUNCTION looked_up(image bytea, value int) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN bloom_contains(image::bloom, value);
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
	END $$;
	CREATE TABLE damaged (id serial, image bytea);
	ALTER TABLE damaged ALTER image SET STORAGE external;
	CREATE TABLE large_filters AS
		SELECT (SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(1, 3000) i)::bytea AS image
		UNION ALL SELECT (SELECT bloom_agg(i, 3000, 1e-4, 9) FROM generate_series(1, 3000) i)::bytea
		UNION ALL SELECT building((SELECT bloom_agg(i, 3000, 0.01) FROM generate_series(1, 3000) i), '\x0123456789abcdef')
		UNION ALL SELECT (SELECT bloom_agg(i) || bloom_agg(-i) FROM generate_series(1, 3000) i)::bytea
		UNION ALL SELECT (SELECT set_byte(bloom_agg(i)::bytea, 1, 20) FROM generate_series(1, 3000) i)
		UNION ALL SELECT (SELECT collecting(i) FROM generate_series(1, 3000) i)::bytea;
	INSERT INTO damaged (image) SELECT image FROM large_filters;
	INSERT INTO damaged (image) SELECT set_byte(image, at, byte)
		FROM large_filters, generate_series(0, 37) at, unnest(ARRAY[0, 1, 2, 7, 17, 33, 127, 255]) byte;
	INSERT INTO damaged (image) SELECT substr(image, 1, length(image) - cut)
		FROM large_filters, unnest(ARRAY[1, 3, 63, 64, 128, 512, 600, 1024]) cut;
	INSERT INTO damaged (image) SELECT image || decode(repeat('ff', more), 'hex')
		FROM large_filters, unnest(ARRAY[1, 64, 132, 512]) more});
cmp_ok(ask($node, q{SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE relname = 'damaged'}),
	'>', 1_000_000, 'damaged filters lie out of line');
# 22023: a rate too small for the values of a state that is still to be sized.
my @looked_up = split /\|/, ask($node, q{
	SELECT count(*), count(*) FILTER (WHERE stored IS DISTINCT FROM whole), count(*) FILTER (WHERE stored IN ('true', 'false')),
		count(*) FILTER (WHERE stored IN ('22P03', '42804') OR stored = '22023' AND form IN (3, 4)), max(id)
	FROM (SELECT id, get_byte(image, 1) & 7 AS form, looked_up(image, value) AS stored, looked_up(image || '', value) AS whole
		FROM damaged, unnest(ARRAY[5, 2999, -1, -2, -3]) value) t});
is($looked_up[1], 0, 'damaged filters: slices and the whole give the same');
is($looked_up[2] + $looked_up[3], $looked_up[0], 'damaged filters: an answer or an error of the right class');
cmp_ok($looked_up[$_], '>', 100, 'damaged filters: there are both') for 2, 3;

# ---------------------------------------------------------------------------
# The same for cms, whose images have much that must agree: totals, rows, blocks.

ask($node, <<'SQL');
CREATE FUNCTION cms_by_cast(image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::cms;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE FUNCTION cms_by_text(image text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::cms;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;

CREATE FUNCTION cms_complaint(c cms) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	info record := cms_info(c);
	before text := c;
	d cms;
BEGIN
	IF info.bytes <> pg_column_size(c::bytea || '') OR info.total <> cms_total(c) OR info.total < 0 THEN RETURN 'info'; END IF;
	IF (info.total = 0) <> (info.value_type IS NULL) OR info.error_bound > info.total OR info.error_bound < 0 THEN RETURN 'total'; END IF;
	IF info.width IS NOT NULL AND info.width <> ceil(exp(1::float8) / info.epsilon) THEN RETURN 'width'; END IF;
	IF c::bytea::cms <> c OR c::text::cms <> c OR cms_agg_final(c) <> c THEN RETURN 'round trip'; END IF;
	IF c || cms_empty() <> c OR (SELECT cms_union(x) FROM (VALUES (NULL), (c), ('\x511000')) AS sketches (x)) <> c THEN RETURN 'union'; END IF;
	IF NOT (c = c AND c <= c AND c >= c) OR c <> c OR cms_cmp(c, c) <> 0
		OR cms_hash(c) <> cms_hash(c::text::cms) THEN RETURN 'order'; END IF;
	IF info.total < 1000000000 THEN
		IF cms_total(c || c) <> 2 * info.total OR (SELECT cms_union(x) FROM (VALUES (c), (c)) AS sketches (x)) <> c || c THEN RETURN 'twice'; END IF;
		IF (SELECT string_agg(u::text, ' ' ORDER BY n) <> concat_ws(' ', c, c || c, c || c)
			FROM (SELECT n, cms_union(x) OVER (ORDER BY n ROWS 1 PRECEDING) AS u FROM (VALUES (1, c), (2, c), (3, c)) AS sketches (n, x)) t)
			THEN RETURN 'window'; END IF;
		IF info.total > 0 AND cms_inner_product(c, c) < info.total THEN RETURN 'inner product'; END IF;
		IF coalesce(info.value_type, 'integer') = 'integer' THEN
			d := cms_add(cms_add(c, 5, 7), 6);
			IF cms_count(d, 5) < cms_count(c, 5) + 7 OR cms_count(d, 6) < cms_count(c, 6) + 1 OR d <> cms_add(cms_add(c, 6), 5, 7)
				OR cms_count(c, 5) > info.total OR cms_total(d) <> info.total + 8 THEN RETURN 'add'; END IF;
		END IF;
	END IF;
	RETURN CASE WHEN c::text <> before THEN 'an argument was changed' END;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;

CREATE AGGREGATE raw_cms_agg(int, bigint, float8, float8) (SFUNC = cms_agg_step, STYPE = cms);
CREATE AGGREGATE raw_cms_agg(text, bigint, float8, float8, bigint) (SFUNC = cms_agg_step, STYPE = cms);
CREATE TABLE good_cms (name text PRIMARY KEY, image bytea);
INSERT INTO good_cms VALUES ('parameterless', cms_empty()::bytea), ('empty', cms_empty(0.001, 0.01)::bytea),
	('empty, seed', cms_empty(0.1, 0.1, -2)::bytea);
INSERT INTO good_cms SELECT 'sparse', cms_agg(i)::bytea FROM generate_series(1, 3) i;
INSERT INTO good_cms SELECT 'sparse, weights', cms_agg(i, i * i * 1000)::bytea FROM generate_series(1, 9) i;
INSERT INTO good_cms SELECT 'sparse, seed', cms_agg('v' || i, 5, 0.05, 0.1, 7)::bytea FROM generate_series(1, 3) i;
INSERT INTO good_cms SELECT 'packed', cms_agg(i, 0.3, 0.2)::bytea FROM generate_series(1, 30) i;
INSERT INTO good_cms SELECT 'packed, exceptions', cms_agg(i, CASE WHEN i % 40 = 0 THEN 1000000000000 ELSE i % 3 END, 0.02, 0.1)::bytea FROM generate_series(1, 200) i;
INSERT INTO good_cms SELECT 'packed, seed', cms_agg('v' || i, i, 0.1, 0.1, 7)::bytea FROM generate_series(1, 300) i;
INSERT INTO good_cms SELECT 'packed, directory', cms_agg(i, 0.004, 0.05)::bytea FROM generate_series(1, 800) i;
INSERT INTO good_cms SELECT 'list', raw_cms_agg(i, i, 0.02, 0.1)::bytea FROM generate_series(1, 5) i;
INSERT INTO good_cms SELECT 'list, seed', raw_cms_agg('v' || i, 9000000000, 0.02, 0.1, 7)::bytea FROM generate_series(1, 2) i;
INSERT INTO good_cms SELECT 'dense32', raw_cms_agg(i, i, 0.3, 0.2)::bytea FROM generate_series(1, 9) i;
INSERT INTO good_cms SELECT 'dense64', raw_cms_agg(i, 9000000000, 0.3, 0.2)::bytea FROM generate_series(1, 9) i;

CREATE TABLE tried_cms (source text, image bytea);
INSERT INTO tried_cms SELECT name, image FROM good_cms;
INSERT INTO tried_cms SELECT name || ', prefix', substr(image, 1, n) FROM good_cms, generate_series(0, length(image) - 1) n;
INSERT INTO tried_cms SELECT name || ', longer', image || tail
	FROM good_cms, (VALUES ('\x00'::bytea), ('\x01'), ('\xff'), ('\x00000000'), (decode(repeat('00', 16), 'hex')), (decode(repeat('00', 128), 'hex'))) t(tail);
INSERT INTO tried_cms SELECT name || ', twice', image || image FROM good_cms;
INSERT INTO tried_cms SELECT name || ', byte', set_byte(image, at, byte)
	FROM good_cms, generate_series(0, least(length(image) - 1, 47)) at, generate_series(0, 255) byte WHERE get_byte(image, at) <> byte;
INSERT INTO tried_cms SELECT name || ', byte', set_byte(image, at, byte)
	FROM good_cms, generate_series(48, length(image) - 1) at,
	LATERAL (SELECT get_byte(image, at) # (1 << bit) FROM generate_series(0, 7) bit
		UNION VALUES (0), (255), (get_byte(image, at - 1))) t(byte)
	WHERE get_byte(image, at) <> byte;
-- Two counters, or a counter and the total, that change so that sums agree again.
INSERT INTO tried_cms SELECT name || ', two bytes', set_byte(set_byte(image, at, get_byte(image, at) - 1), at + away, get_byte(image, at + away) + 1)
	FROM good_cms, generate_series(19, length(image) - 9) at, generate_series(1, 8) away
	WHERE length(image) < 500 AND get_byte(image, at) > 0 AND get_byte(image, at + away) < 255;
INSERT INTO tried_cms SELECT 'random', noise(floor(random() * random() * 300)::int, 8) FROM generate_series(1, 2000);
INSERT INTO tried_cms
SELECT 'random body', set_byte('\x511002', 1, 16 + form) || substr(image, 4, 16)
	|| CASE WHEN form >= 2 THEN substr((SELECT image FROM good_cms WHERE name = 'dense32'), 20, 8) || set_byte('\x0000000000000000', 0, i % 7) ELSE set_byte('\x00', 0, i % 7) END
	|| noise((ARRAY[40, 80, 20, 36, 3, 9, 16])[1 + i % 7], bits)
FROM (SELECT i, floor(random() * 5)::int AS form, ceil(random() * 4)::int AS bits FROM generate_series(1, 6000) i) t,
	good_cms WHERE name = 'dense32';
SQL

($pid, $pid_after) = split /\n/, ask($node, q{
	SET statement_timeout = '100s';
	SELECT pg_backend_pid();
	CREATE TABLE cms_verdicts AS
	SELECT source, image, cms_by_cast(image) AS cast_verdict, cms_by_text(image::text) AS text_verdict,
		NULL AS binary_verdict FROM tried_cms;
	CREATE TABLE cms_complaints AS
	SELECT cast_verdict AS image, cms_complaint(cast_verdict::cms) AS complaint
	FROM (SELECT DISTINCT cast_verdict FROM cms_verdicts WHERE starts_with(cast_verdict, '\x')) accepted;
	SELECT pg_backend_pid()});
is($pid_after, $pid, 'cms: the backend has lived on');
@images = split /\n/, ask($node, 'SELECT DISTINCT image FROM tried_cms');
$client = BinaryClient->new($node, 'postgres', 'SELECT $1::cms');
@answers = $client->answers(map { pack 'H*', substr($_, 2) } @images);
my $cms_file = PostgreSQL::Test::Utils::tempdir() . '/cms_answers';
append_to_file($cms_file, join '', map { "$images[$_]\t$answers[$_]\n" =~ s/\\/\\\\/gr } 0 .. $#images);
ask($node, qq{
	CREATE TABLE cms_answers (image bytea, answer text);
	COPY cms_answers FROM '$cms_file';
	CREATE INDEX ON cms_answers (md5(image));
	UPDATE cms_verdicts v SET binary_verdict = answer FROM cms_answers a
		WHERE md5(v.image) = md5(a.image) AND v.image = a.image});
is(ask($node, q{SELECT count(*) FROM cms_verdicts WHERE cast_verdict IS NULL
	OR cast_verdict !~ '^(\\\\x[0-9a-f]+|22P03)$'}), 0, 'cms: bytes are a sketch or an error with 22P03');
is( ask($node, q{SELECT count(*) FROM cms_verdicts
		WHERE text_verdict IS DISTINCT FROM cast_verdict OR binary_verdict IS DISTINCT FROM cast_verdict}),
	0, 'cms: all doors agree');
is(ask($node, q{SELECT count(*) FROM cms_verdicts JOIN good_cms ON name = source WHERE cast_verdict = '22P03'}),
	0, 'cms: good images are taken');
is( ask($node, q{SELECT string_agg(DISTINCT source, '; ') FROM cms_verdicts
		WHERE source ~ ', (prefix|longer|twice)$' AND cast_verdict <> '22P03' AND image <> '\x511000'}),
	'list, longer; list, prefix; list, seed, longer; list, seed, prefix', 'cms: no other length is taken, but a list with more or fewer free slots');
is( ask($node, q{SELECT count(*) FROM cms_verdicts WHERE cast_verdict <> '22P03' AND get_byte(image, 1) % 8 < 2
	AND cast_verdict <> image::text}),
	0, 'cms: images in a form at rest are stored as they are');
is(ask($node, q{SELECT count(*) FROM cms_verdicts WHERE cast_verdict <> '22P03' AND get_byte(cast_verdict::bytea, 1) % 8 > 1}),
	0, 'cms: all are stored in a form at rest');
is( ask($node, q{SELECT complaint, count(*), min(image) FROM cms_complaints WHERE complaint IS NOT NULL GROUP BY complaint}),
	'', 'cms: every function takes what was taken');
note(ask($node, q{SELECT source, count(*), count(*) FILTER (WHERE cast_verdict <> '22P03') FROM cms_verdicts
	GROUP BY source ORDER BY source}));
cmp_ok(ask($node, 'SELECT count(*) FROM cms_complaints'), '>', 1000, 'cms: many different sketches were tried');

# Damage to what lies in a table already: an error of the right class or an answer,
# from what is kept of a stored sketch as from a value in memory.
ask($node, q{
	ALTER EXTENSION bloomsketch DROP CAST (bytea AS cms);
	DROP CAST (bytea AS cms);
	CREATE CAST (bytea AS cms) WITHOUT FUNCTION;
	CREATE FUNCTION counted(image bytea, value int) RETURNS text LANGUAGE plpgsql AS $$
	BEGIN
		RETURN cms_count(image::cms, value);
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
	END $$;
	CREATE FUNCTION used(image bytea, how text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
	BEGIN
		EXECUTE 'SELECT (' || how || ')::text FROM (SELECT $1::cms AS c) t' INTO result USING image;
		RETURN 'done';
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
	END $$;
	CREATE TABLE damaged_cms (id serial, image bytea);
	ALTER TABLE damaged_cms ALTER image SET STORAGE external;
	CREATE TABLE large_cms AS
		SELECT (SELECT cms_agg(i, i % 100, 0.002, 0.01) FROM generate_series(1, 3000) i)::bytea AS image
		UNION ALL SELECT (SELECT cms_agg(i, 1, 0.001, 0.01, 9) FROM generate_series(1, 300) i)::bytea
		UNION ALL SELECT (SELECT raw_cms_agg(i, 1, 0.01, 0.01) FROM generate_series(1, 300) i)::bytea
		UNION ALL SELECT (SELECT raw_cms_agg(i, 1, 0.001, 0.01) FROM generate_series(1, 300) i)::bytea;
	INSERT INTO damaged_cms (image) SELECT image FROM large_cms;
	INSERT INTO damaged_cms (image) SELECT set_byte(image, at, byte)
		FROM large_cms, (SELECT generate_series(0, 50) UNION SELECT generate_series(60, 1000, 90)) t(at), unnest(ARRAY[0, 1, 2, 7, 17, 33, 127, 255]) byte;
	INSERT INTO damaged_cms (image) SELECT substr(image, 1, length(image) - cut)
		FROM large_cms, unnest(ARRAY[1, 3, 16, 63, 64, 128, 512, 600, 1000]) cut;
	INSERT INTO damaged_cms (image) SELECT image || decode(repeat('ff', more), 'hex')
		FROM large_cms, unnest(ARRAY[1, 16, 64, 512]) more});
@looked_up = split /\|/, ask($node, q{
	SET statement_timeout = '100s';
	SELECT count(*), count(*) FILTER (WHERE stored IS DISTINCT FROM whole), count(*) FILTER (WHERE stored ~ '^\d+$' AND stored !~ '^\d{5}$'),
		count(*) FILTER (WHERE stored IN ('22P03', '42804'))
	FROM (SELECT id, counted(image, value) AS stored, counted(image || '', value) AS whole
		FROM damaged_cms, unnest(ARRAY[5, 2999, -1]) value) t});
is($looked_up[1], 0, 'damaged sketches: stored and in memory give the same');
cmp_ok($looked_up[$_], '>', 100, 'damaged sketches: there are answers and errors') for 2, 3;
# Whatever is done with them ends, with a result or an error that is expected; a
# total that was damaged may be past what fits. Epsilon and delta are left as they were
# at rest, since others may ask for counters of 256 MB, rightly; in a working form they
# must go with the counters that are there.
ask($node, q{
	CREATE TABLE alike AS SELECT d.image FROM damaged_cms d WHERE length(d.image) > 27 AND (get_byte(d.image, 1) & 7 >= 2 OR EXISTS (
		SELECT FROM large_cms l WHERE (get_byte(l.image, 1) # get_byte(d.image, 1)) & 8 = 0
			AND substr(l.image, 4, 16 + (get_byte(l.image, 1) & 8)) = substr(d.image, 4, 16 + (get_byte(l.image, 1) & 8))))});
is( ask($node, q{
		SET statement_timeout = '100s';
		SELECT DISTINCT how, used(image, how) FROM alike, unnest(ARRAY['cms_total(c)', 'cms_info(c)', 'c || c', 'cms_add(c, 5)', 'cms_inner_product(c, c)',
			'SELECT cms_union(x) FROM (VALUES (c), (c)) t(x)', 'SELECT count(u) FROM (SELECT cms_union(x) OVER (ORDER BY n ROWS 1 PRECEDING) AS u FROM (VALUES (1, c), (2, c), (3, c)) t(n, x)) f']) how
		WHERE used(image, how) NOT IN ('done', '22P03', '22003', '42804')}),
	'', 'damaged sketches: every function ends well');

# ---------------------------------------------------------------------------
# The same for topk, whose counts must add up, whose hashes ascend, and whose texts are
# valid. States of aggregates are refused, whatever is in them.

ask($node, <<'SQL');
CREATE FUNCTION topk_by_cast(image bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::topk;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE FUNCTION topk_by_text(image text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	RETURN image::topk;
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;

CREATE FUNCTION topk_complaint(s topk) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	info record := topk_info(s);
	before text := s;
	rows record;
	twice record;
	d topk;
BEGIN
	IF info.bytes <> pg_column_size(s::bytea || '') OR info.total < 0 OR info.counters_used > coalesce(info.counters, 0) THEN RETURN 'info'; END IF;
	IF (info.total = 0) <> (info.value_type IS NULL) OR info.max_error * coalesce(info.counters, 1) > info.total THEN RETURN 'total'; END IF;
	SELECT count(*) AS n, coalesce(sum(count), 0) AS sum, bool_and(count > error AND error BETWEEN 0 AND info.max_error AND count >= info.max_error) AS bounds,
		string_agg(item, '' ORDER BY rank) AS texts, bool_and(rank = r) AS ranks, bool_and(lag IS NULL OR lag >= count) AS descending INTO rows
	FROM (SELECT *, row_number() OVER () AS r, lag(count) OVER (ORDER BY rank) AS lag FROM topk_items(s, 1000000)) i;
	IF rows.n <> info.counters_used OR rows.sum > info.total OR (info.max_error = 0 AND rows.sum <> info.total) THEN RETURN 'counts'; END IF;
	IF NOT (rows.bounds AND rows.ranks AND rows.descending) OR (rows.n > 0 AND rows.texts IS NULL) THEN RETURN 'rows'; END IF;
	IF (SELECT count(*) <> least(info.k, info.counters_used) FROM topk_items(s)) THEN RETURN 'k rows'; END IF;
	IF s::bytea::topk <> s OR s::text::topk <> s OR topk_agg_final(s) <> s THEN RETURN 'round trip'; END IF;
	IF s || '\x611000' <> s OR (SELECT topk_union(x) FROM (VALUES (NULL), (s), ('\x611000')) AS sketches (x)) <> s THEN RETURN 'union'; END IF;
	IF NOT (s = s AND s <= s AND s >= s) OR s <> s OR topk_cmp(s, s) <> 0 OR topk_hash(s) <> topk_hash(s::text::topk) THEN RETURN 'order'; END IF;
	IF info.total < 1000000000 AND info.k IS NOT NULL THEN
		SELECT count(*) AS n, coalesce(sum(count), 0) AS sum INTO twice FROM topk_items(s || s, 1000000);
		IF twice.n <> rows.n OR twice.sum <> 2 * rows.sum OR (topk_info(s || s)).total <> 2 * info.total
			OR (SELECT topk_union(x) FROM (VALUES (s), (s)) AS sketches (x)) <> s || s THEN RETURN 'twice'; END IF;
		IF coalesce(info.value_type, 'integer') = 'integer' THEN
			d := topk_add(topk_add(s, 5, 7), 6);
			IF topk_count(d, 5) < topk_count(s, 5) + 7 OR topk_count(d, 6) < topk_count(s, 6) + 1
				OR topk_count(s, 5) > info.total OR (topk_info(d)).total <> info.total + 8 THEN RETURN 'add'; END IF;
		END IF;
	END IF;
	RETURN CASE WHEN s::text <> before THEN 'an argument was changed' END;
EXCEPTION WHEN OTHERS THEN RETURN SQLERRM;
END $$;

CREATE TABLE good_topk (name text PRIMARY KEY, image bytea);
INSERT INTO good_topk VALUES ('parameterless', '\x611000'), ('empty', topk_empty(10)::bytea), ('empty, seed', topk_empty(10000, -2)::bytea);
INSERT INTO good_topk SELECT 'few', topk_agg(i, 10)::bytea FROM generate_series(1, 3) i;
INSERT INTO good_topk SELECT 'few, weights', topk_agg(i, 10, i * i * 1000)::bytea FROM generate_series(1, 9) i;
INSERT INTO good_topk SELECT 'few, seed', topk_agg('v' || i, 10, 5, 7)::bytea FROM generate_series(1, 3) i;
INSERT INTO good_topk SELECT 'texts', topk_agg(repeat(U&'\00FC\4E9C' || i, i), 3, i)::bytea FROM generate_series(0, 40) i;
INSERT INTO good_topk SELECT 'largest total', topk_agg(i, 10, CASE i WHEN 1 THEN 9223372036854775800 ELSE 7 END)::bytea FROM generate_series(1, 2) i;
INSERT INTO good_topk SELECT 'all counters in use', topk_agg(i % 1100, 1, i)::bytea FROM generate_series(1, 3000) i;

CREATE TABLE tried_topk (source text, image bytea);
INSERT INTO tried_topk SELECT name, image FROM good_topk;
INSERT INTO tried_topk SELECT name || ', prefix', substr(image, 1, n) FROM good_topk, generate_series(0, length(image) - 1) n WHERE n < 600 OR n % 137 = 0;
INSERT INTO tried_topk SELECT name || ', longer', image || tail
	FROM good_topk, (VALUES ('\x00'::bytea), ('\x01'), ('\xff'), ('\x00000000'), (decode('ffffffffffffffff01000161', 'hex'))) t(tail);
INSERT INTO tried_topk SELECT name || ', twice', image || image FROM good_topk;
INSERT INTO tried_topk SELECT name || ', byte', set_byte(image, at, byte)
	FROM good_topk, generate_series(0, least(length(image) - 1, 47)) at, generate_series(0, 255) byte
	WHERE length(image) < 5000 AND get_byte(image, at) <> byte;
INSERT INTO tried_topk SELECT name || ', byte', set_byte(image, at, byte)
	FROM good_topk, generate_series(CASE WHEN length(image) < 5000 THEN 48 ELSE 1 END, least(length(image) - 1, 1500)) at,
	LATERAL (SELECT get_byte(image, at) # (1 << bit) FROM generate_series(0, 7) bit
		UNION VALUES (0), (255), (get_byte(image, at - 1))) t(byte)
	WHERE get_byte(image, at) <> byte AND (length(image) < 5000 OR at < 40 OR at % 40 = 0);
-- Two counts that change so that their sum stays; two counters that change places.
INSERT INTO tried_topk SELECT name || ', two bytes', set_byte(set_byte(image, at, get_byte(image, at) - 1), at + away, get_byte(image, at + away) + 1)
	FROM good_topk, generate_series(5, length(image) - 25) at, generate_series(1, 24) away
	WHERE length(image) < 500 AND get_byte(image, at) > 0 AND get_byte(image, at + away) < 255;
INSERT INTO tried_topk SELECT name || ', moved', substr(image, 1, at) || substr(image, at + 1 + length, length) || substr(image, at + 1, length) || substr(image, at + 2 * length + 1)
	FROM good_topk, generate_series(6, length(image) - 25) at, generate_series(1, 12) length WHERE length(image) < 200;
INSERT INTO tried_topk SELECT 'random', noise(floor(random() * random() * 300)::int, 8) FROM generate_series(1, 2000);
INSERT INTO tried_topk
SELECT 'random body', '\x61'::bytea || set_byte('\x10', 0, 16 + form + 8 * has_seed) || set_byte('\x00', 0, kind) || substr(noise(8, 8), 1, 8 * has_seed)
	|| '\x0a'::bytea || set_byte('\x00', 0, n) || set_byte('\x00', 0, used) || noise(used * (11 + i % 3), bits)
FROM (SELECT i, floor(random() * 1.3)::int AS form, floor(random() * 1.2)::int AS has_seed, (ARRAY[2, 8, 8, 0, 72, 28, 29])[ceil(random() * 7)] AS kind,
		floor(random() * 6)::int AS n, floor(random() * 4)::int AS used, ceil(random() * 3)::int AS bits FROM generate_series(1, 12000) i) t;
SQL

($pid, $pid_after) = split /\n/, ask($node, q{
	SET statement_timeout = '100s';
	SELECT pg_backend_pid();
	CREATE TABLE topk_verdicts AS
	SELECT source, image, topk_by_cast(image) AS cast_verdict, topk_by_text(image::text) AS text_verdict,
		NULL AS binary_verdict FROM tried_topk;
	CREATE TABLE topk_complaints AS
	SELECT cast_verdict AS image, topk_complaint(cast_verdict::topk) AS complaint
	FROM (SELECT DISTINCT cast_verdict FROM topk_verdicts WHERE starts_with(cast_verdict, '\x')) accepted;
	SELECT pg_backend_pid()});
is($pid_after, $pid, 'topk: the backend has lived on');
@images = split /\n/, ask($node, 'SELECT DISTINCT image FROM tried_topk');
$client = BinaryClient->new($node, 'postgres', 'SELECT $1::topk');
@answers = $client->answers(map { pack 'H*', substr($_, 2) } @images);
my $topk_file = PostgreSQL::Test::Utils::tempdir() . '/topk_answers';
append_to_file($topk_file, join '', map { "$images[$_]\t$answers[$_]\n" =~ s/\\/\\\\/gr } 0 .. $#images);
ask($node, qq{
	CREATE TABLE topk_answers (image bytea, answer text);
	COPY topk_answers FROM '$topk_file';
	CREATE INDEX ON topk_answers (md5(image));
	UPDATE topk_verdicts v SET binary_verdict = answer FROM topk_answers a
		WHERE md5(v.image) = md5(a.image) AND v.image = a.image});
is( ask($node, q{SELECT count(*) FROM topk_verdicts WHERE cast_verdict IS NULL OR cast_verdict NOT IN (image::text, '22P03')}),
	0, 'topk: bytes are a sketch, stored as they are, or an error with 22P03');
is( ask($node, q{SELECT count(*) FROM topk_verdicts
		WHERE text_verdict IS DISTINCT FROM cast_verdict OR binary_verdict IS DISTINCT FROM cast_verdict}),
	0, 'topk: all doors agree');
is(ask($node, q{SELECT count(*) FROM topk_verdicts JOIN good_topk ON name = source WHERE cast_verdict = '22P03'}),
	0, 'topk: good images are taken');
is( ask($node, q{SELECT string_agg(DISTINCT source, '; ') FROM topk_verdicts
		WHERE source ~ ', (prefix|longer|twice)$' AND cast_verdict <> '22P03' AND image <> '\x611000'}),
	'', 'topk: no other length is taken');
is(ask($node, q{SELECT count(*) FROM topk_verdicts WHERE cast_verdict <> '22P03' AND get_byte(image, 1) % 8 > 0}), 0, 'topk: nor any other form');
is( ask($node, q{SELECT complaint, count(*), min(left(image, 200)) FROM topk_complaints WHERE complaint IS NOT NULL GROUP BY complaint}),
	'', 'topk: every function takes what was taken');
note(ask($node, q{SELECT source, count(*), count(*) FILTER (WHERE cast_verdict <> '22P03') FROM topk_verdicts
	GROUP BY source ORDER BY source}));
cmp_ok(ask($node, 'SELECT count(*) FROM topk_complaints'), '>', 1000, 'topk: many different sketches were tried');

# Damage to what lies in a table already, states that an aggregate left there among it: an
# answer or an error of the right class, and an end. A dump goes on.
ask($node, q{
	ALTER EXTENSION bloomsketch DROP CAST (bytea AS topk);
	DROP CAST (bytea AS topk);
	CREATE CAST (bytea AS topk) WITHOUT FUNCTION;
	ALTER EXTENSION bloomsketch DROP CAST (topk AS bytea);
	DROP CAST (topk AS bytea);
	CREATE CAST (topk AS bytea) WITHOUT FUNCTION;
	CREATE FUNCTION top_used(image bytea, how text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE
		result text;
	BEGIN
		EXECUTE 'SELECT (' || how || ')::text FROM (SELECT $1::topk AS s) t' INTO result USING image;
		RETURN 'done';
	EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
	END $$;
	CREATE TABLE damaged_topk (id serial, image bytea);
	ALTER TABLE damaged_topk ALTER image SET STORAGE external;
	-- States as they lie in memory, which the cast without a function does not put to rest.
	CREATE AGGREGATE raw_topk_agg(int, int, bigint) (SFUNC = topk_agg_step, STYPE = topk);
	CREATE TABLE raw_states AS SELECT n, raw_topk_agg(i, 10, i) AS s FROM (VALUES (1), (40), (3000)) t(n), generate_series(1, n) i GROUP BY n;
	CREATE TABLE large_topk AS SELECT image FROM good_topk WHERE length(image) > 300 UNION ALL SELECT s::bytea FROM raw_states;
	INSERT INTO damaged_topk (image) SELECT image FROM large_topk;
	INSERT INTO damaged_topk (image) SELECT set_byte(image, at, byte)
		FROM large_topk, LATERAL (SELECT generate_series(0, 120) UNION SELECT generate_series(121, length(image) - 1, length(image) / 60 + 1)) t(at),
			unnest(ARRAY[0, 1, 2, 7, 17, 33, 127, 255]) byte WHERE at < length(image);
	INSERT INTO damaged_topk (image) SELECT substr(image, 1, length(image) - cut)
		FROM large_topk, unnest(ARRAY[1, 3, 16, 63, 64, 128, 200]) cut;
	INSERT INTO damaged_topk (image) SELECT image || decode(repeat('ff', more), 'hex')
		FROM large_topk, unnest(ARRAY[1, 16, 64, 512]) more});
is(ask($node, 'SELECT count(*) FILTER (WHERE get_byte(image, 1) % 8 = 1) > 1000, count(*) FILTER (WHERE get_byte(image, 1) % 8 = 0) > 1000 FROM damaged_topk'),
	't|t', 'damaged topk: at rest and working');
is( ask($node, q{
		SET statement_timeout = '100s';
		SELECT how, result, count(*), min(id) FROM (SELECT id, how, top_used(image, how) AS result FROM damaged_topk,
			unnest(ARRAY['topk_count(s, 5)', 'topk_count(s, -1)', 'topk_info(s)', 's || s', 'topk_add(s, 5)', 'topk_add(s, -5, 3)', 'SELECT count(item) FROM topk_items(s)',
				'topk_send(s)', 'topk_out(s)', 'topk_agg_final(s)', 'SELECT topk_union(x) FROM (VALUES (s), (s)) t(x)']) how) used
		WHERE result NOT IN ('done', '22P03', '22003', '42804', '54000', '22021') OR how IN ('topk_send(s)', 'topk_out(s)') AND result NOT IN ('done', '22P03')
		GROUP BY 1, 2}),
	'', 'damaged topk: every function ends well');

my $log = slurp_file($node->logfile);
unlike($log, qr/PANIC|TRAP|terminated by signal|crash/, 'nothing has crashed');
is(ask($node, 'SELECT #hll_agg(i) FROM generate_series(1, 10) i'), 10, 'and the server answers');

$node->stop;
done_testing();
