# The hash contract: one value has one hash, whatever the server's encoding,
# locale, time zone and output settings, and it is the hash that another
# implementation of docs/FORMAT.md computes. So has it one text, where a sketch
# holds the values themselves.

use strict;
use warnings;

use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('values');

sub create_database
{
	my ($name, $options) = @_;
	ask($node, "CREATE DATABASE $name TEMPLATE template0 $options");
	ask($node, 'CREATE EXTENSION bloomsketch', $name);
	return;
}

# ---------------------------------------------------------------------------
# The oracle: images and hashes made in Python, values parsed by the server.

ask($node, q{
	CREATE TYPE mood AS ENUM ('low', U&'gro\00DFartig', U&'\3072\3069\3044', 'two words', 'it''s');
	CREATE DOMAIN positive AS int CHECK (VALUE >= 0);
	CREATE TYPE visit AS (a int, gone text, b text, c numeric, d date, e int[]);
	ALTER TYPE visit DROP ATTRIBUTE gone;
	CREATE TABLE oracle (type text, literal text, seed bigint, hash bigint);
	-- How many hashes of a type differ from the oracle's, and one such value.
	CREATE FUNCTION disagreeing(type text) RETURNS text LANGUAGE plpgsql AS $$
	DECLARE answer text;
	BEGIN
		EXECUTE format('SELECT count(*) || coalesce(%L || min(literal), %L) FROM oracle
			WHERE type = %L AND sketch_hash(literal::%s, seed) IS DISTINCT FROM hash', ': ', '', type, type)
		INTO answer;
		RETURN answer;
	END $$});

use constant PER_TYPE => 300;
SKIP:
{
	my $python = '/usr/bin/python3';
	skip 'no python3 with the module xxhash (python3-xxhash) here', 1
	  if !-x $python || system("$python -c 'import xxhash' 2>/dev/null") != 0;

	my ($lines, $errors) = run_command([ $python, '-B', source_root() . '/test/tap/value_oracle.py', PER_TYPE ]);
	is($errors, '', 'the oracle has no complaints');
	my $file = PostgreSQL::Test::Utils::tempdir() . '/oracle';
	append_to_file($file, "$lines\n");
	$node->safe_psql('postgres', "\\encoding UTF8\n\\copy oracle FROM '$file'");

	my @types = split /\n/, ask($node, 'SELECT DISTINCT type FROM oracle ORDER BY 1');
	cmp_ok(scalar @types, '>=', 45, 'the oracle knows all types');
	for my $type (@types)
	{
		is(ask($node, "SELECT count(*) FROM oracle WHERE type = '$type'"), PER_TYPE, "there are values: $type");
		is(ask($node, "SET TimeZone = UTC; SELECT disagreeing('$type')"), '0', "hashes agree with the oracle: $type");
	}
	ask($node, q{UPDATE oracle SET hash = hash + 1 WHERE ctid = (SELECT ctid FROM oracle
		WHERE type = 'numeric' LIMIT 1)});
	like(ask($node, q{SELECT disagreeing('numeric')}), qr/^1: /, 'a single difference would show');
}

# ---------------------------------------------------------------------------
# Encodings: the same characters have the same hash, whatever the bytes are that
# the server stores. The two kanji come in another order in EUC_JP.

my %characters_of = (
	LATIN1 => [ 'Gr\00FC\00DFe', '\00FF\00E6', 'plain' ],
	EUC_JP => [ '\65E5\672C\8A9E', '\4E9C', '\4E00', '\FF71\FF72', 'plain' ]);

# Hashes and a sketch of the given characters in every type that holds text.
sub text_digest
{
	my @characters = map { "U&'$_'" } @_;
	my $labels = join ', ', @characters;
	my $rows = join ', ', map { "($_)" } @characters;
	my $pairs = join ', ', map { "$_, 1" } @characters;
	my $json_keys = "jsonb_build_object($pairs)";
	return qq{
		CREATE TYPE label AS ENUM ($labels);
		CREATE TYPE textrange AS RANGE (subtype = text);
		CREATE TYPE pair AS (t text, i int);
		CREATE DOMAIN word AS text;
		CREATE TABLE held AS SELECT w, w::varchar AS v, w::char(20) AS c, w::name AS n, w::label AS l,
			ARRAY[w, NULL] AS a, ROW(w, 1)::pair AS r, textrange(NULL, w) AS s,
			textmultirange(textrange(NULL, w)) AS m, w::word AS d,
			$json_keys || jsonb_build_array(w) AS j
			FROM (VALUES $rows) t(w);
		SELECT concat_ws(' ', sketch_hash(w), sketch_hash(v), sketch_hash(c), sketch_hash(n), sketch_hash(l),
			sketch_hash(a), sketch_hash(r), sketch_hash(s), sketch_hash(m), sketch_hash(d), sketch_hash(j)) FROM held;
		SELECT hll_agg(w), hll_agg(c), hll_agg(n), hll_agg(l), hll_agg(j) FROM held;
		SELECT topk_agg(w, 9), topk_agg(c, 9), topk_agg(n, 9), topk_agg(l, 9), topk_agg(a, 9),
			topk_agg(r, 9), topk_agg(s, 9), topk_agg(m, 9), topk_agg(d, 9) FROM held;
		SELECT sketch_hash($json_keys);
	};
}

for my $encoding (sort keys %characters_of)
{
	my @characters = @{ $characters_of{$encoding} };
	my $name = lc $encoding;
	create_database($name, "ENCODING $encoding LC_COLLATE 'C' LC_CTYPE 'C'");
	create_database("${name}_in_utf8", "ENCODING UTF8 LC_COLLATE 'C' LC_CTYPE 'C'");
	my $expected = ask($node, text_digest(@characters), "${name}_in_utf8");
	is(ask($node, text_digest(@characters), $name), $expected, "same hashes in $encoding as in UTF8");
	my $bytes = 'SELECT string_agg(encode(w::bytea, $$hex$$), $$ $$) FROM held';
	isnt(ask($node, $bytes, $name), ask($node, $bytes, "${name}_in_utf8"), "$encoding stores other bytes");
	is( ask($node, q{SELECT bool_and(sketch_hash(w, 9) = sketch_hash(convert_to(w, 'UTF8'), 9)) FROM held}, $name),
		't', "the image in $encoding is UTF-8");
	is( ask($node, q{SELECT string_agg(encode(item::bytea, 'hex'), ' ' ORDER BY item COLLATE "C") = (SELECT string_agg(encode(w::bytea, 'hex'), ' ' ORDER BY w COLLATE "C") FROM held),
			bool_and(topk_count(s, item) = 1) FROM (SELECT topk_agg(w, 9) AS s FROM held) t, topk_items(s)}, $name),
		't|t', "texts come out in $encoding");
}
# A character that the server does not have is an error when it is shown, and only then.
my $kanji = ask($node, q{SELECT topk_agg(v, 9) FROM (VALUES (U&'\65E5'), ('plain'), ('plain')) t(v)});
is(ask($node, "SELECT total, bytes FROM topk_info('$kanji'); SELECT topk_count('$kanji', 'plain')", 'latin1'),
	ask($node, "SELECT total, bytes FROM topk_info('$kanji'); SELECT topk_count('$kanji', 'plain')"), 'a sketch of characters that LATIN1 does not have');
is(ask($node, "SELECT item FROM topk_items('$kanji', 1)", 'latin1'), 'plain', 'those that it has are shown');
fails_with($node, "SELECT item FROM topk_items('$kanji')", '22P05', 'no equivalent', 'others are an error', 'latin1');

# Nobody knows what the bytes in SQL_ASCII mean.
create_database('raw', q{ENCODING SQL_ASCII LC_COLLATE 'C' LC_CTYPE 'C'});
is( ask($node, q{
	CREATE TYPE label AS ENUM (E'\xff\xe6');
	SELECT bool_and(hash = sketch_hash('\xffe6'::bytea))
		FROM (VALUES (sketch_hash(E'\xff\xe6')), (sketch_hash(E'\xff\xe6  '::char(9))),
		(sketch_hash(E'\xff\xe6'::name)), (sketch_hash(E'\xff\xe6'::label))) t(hash)}, 'raw'),
	't', 'bytes in SQL_ASCII are hashed as they lie');
is( ask($node, q{SELECT sketch_hash(E'{"\xc3\xa9": "\xc3\xbc"}'::jsonb)}, 'raw'),
	ask($node, q{SELECT sketch_hash(E'{"\u00e9": "\u00fc"}'::jsonb)}),
	'UTF-8 in SQL_ASCII goes with UTF-8');
my $raw = ask($node, q{SELECT topk_agg(v, 9, w) FROM (VALUES (E'\xff\xe6', 2), ('plain', 1), (NULL, 5)) t(v, w)}, 'raw');
is(ask($node, "SELECT item::bytea = '\\xffe6', count, '$raw'::topk = '$raw' FROM topk_items('$raw', 1)", 'raw'), 't|2|t',
	'bytes in SQL_ASCII are kept as they lie');
fails_with($node, "SELECT '$raw'::topk", '22P03', 'malformed topk: it holds text that is not valid UTF-8',
	'and refused elsewhere', $_) for 'postgres', 'latin1';
is(ask($node, "SELECT item::bytea FROM topk_items('$kanji') ORDER BY rank", 'raw'), "\\x706c61696e\n\\xe697a5", 'UTF-8 comes out as UTF-8');

# ---------------------------------------------------------------------------
# Settings and locales. Typed values are stored once and hashed under each.

my $digest = q{SELECT md5(string_agg(concat_ws(' ', sketch_hash(h.*::held), sketch_hash(ts), sketch_hash(tz),
		sketch_hash(ttz), sketch_hash(iv), sketch_hash(f4), sketch_hash(f8), sketch_hash(m), sketch_hash(b),
		sketch_hash(n), sketch_hash(tr), sketch_hash(t), sketch_hash(d), sketch_hash(j), sketch_hash(a)), ',' ORDER BY id))
	|| md5(concat(hll_agg(tz), hll_agg(ts), hll_agg(d), hll_agg(b), hll_agg(n), hll_agg(t), hll_agg(m),
		hll_agg(iv))) || ' ' || md5(concat(topk_agg(h.*::held, 9), topk_agg(ts, 9), topk_agg(tz, 9), topk_agg(ttz, 9), topk_agg(iv, 9), topk_agg(f4, 9),
		topk_agg(f8, 9), topk_agg(m, 9), topk_agg(b, 9), topk_agg(n, 9), topk_agg(tr, 9), topk_agg(t, 9), topk_agg(d, 9), topk_agg(j, 9),
		topk_agg(a, 9), topk_agg(ARRAY[m, m], 9), topk_agg(ROW(m, tz), 9), topk_agg(ARRAY[ROW(m)], 9))) FROM held h};
my $fill = q{
	SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres';
	CREATE TABLE held AS
	SELECT i AS id, '2024-03-31 00:30'::timestamp + i * '7 hours'::interval AS ts,
		'2024-03-31 00:30+00'::timestamptz + i * '7 hours'::interval AS tz,
		('10:00:00+' || i % 12)::timetz AS ttz, i * '1 month -3 days 04:05:06.789'::interval AS iv,
		(i / 7.0)::float4 AS f4, (i / 7.0)::float8 AS f8, (i * 1.25)::numeric::money AS m,
		decode(md5(i::text), 'hex') AS b, i / 8.0 AS n,
		tstzrange('2024-01-01 00:00+00', '2024-01-01 00:00+00'::timestamptz + i * '1 hour'::interval) AS tr,
		'iI' || chr(224 + i) AS t, '2024-01-01'::date + i AS d,
		jsonb_build_object('i', i / 8.0, 'I', 'i') AS j, ARRAY[i / 7.0] AS a
	FROM generate_series(1, 50) i};
ask($node, $fill);
my $expected = ask($node, $digest);
like($expected, qr/^[0-9a-f]{64} [0-9a-f]{32}$/, 'there is a digest');

my @settings = (q{TimeZone = 'Asia/Kathmandu'}, q{TimeZone = 'America/St_Johns'}, q{DateStyle = 'German, DMY'},
	q{DateStyle = 'SQL, MDY'}, q{IntervalStyle = 'iso_8601'}, q{IntervalStyle = 'sql_standard'},
	'extra_float_digits = -15', 'extra_float_digits = 3', q{bytea_output = 'escape'}, 'array_nulls = off',
	q{client_encoding = 'SQL_ASCII'}, q{client_encoding = 'WIN1252'}, 'quote_all_identifiers = on');
for my $locale (qw(C.UTF-8 de_DE.UTF-8 ja_JP.UTF-8 tr_TR.UTF-8))
{
	my $set = "lc_monetary = '$locale'; SET lc_numeric = '$locale'; SET lc_time = '$locale'";
	push @settings, $set if $node->psql('postgres', "\\set ON_ERROR_STOP 1\nSET $set") == 0;
}
is(ask($node, "SET $_; $digest"), $expected, "same hashes: $_") for @settings;
is(ask($node, join(' ', map { "SET $_;" } @settings) . $digest), $expected, 'same hashes: all settings at once');
my $texts = join(' ', map { "SET $_;" } 'TimeZone = UTC', @settings) . 'SELECT h::text FROM held h WHERE id = 7';
is(ask($node, "$texts; $digest; SELECT h::text FROM held h WHERE id = 7"),
	join("\n", ask($node, $texts), $expected, ask($node, $texts)), 'and the session writes as before');

my %locale_of = ('C.UTF-8' => q{LOCALE 'C.UTF-8'});
my $has_icu = ask($node, q{SELECT count(*) > 0 FROM pg_collation
	WHERE collprovider = 'i' AND collname = 'und-x-icu'}) eq 't';
$locale_of{$_} = "LOCALE_PROVIDER icu ICU_LOCALE '$_' LOCALE 'C'" for $has_icu ? qw(sv tr) : ();
for my $locale (sort keys %locale_of)
{
	(my $database = lc "in_$locale") =~ s/\W/_/g;
	my ($status) = $node->psql('postgres',
		"CREATE DATABASE $database TEMPLATE template0 ENCODING UTF8 $locale_of{$locale}");
	SKIP:
	{
		skip "this system has no locale $locale", 1 if $status != 0;
		ask($node, "CREATE EXTENSION bloomsketch; $fill", $database);
		is(ask($node, $digest, $database), $expected, "same hashes: locale $locale");
	}
}

# ---------------------------------------------------------------------------
# Collations: deterministic ones play no part, others are refused.

my @collations = ('"C"', '"POSIX"', 'ucs_basic', $has_icu ? ('"sv-x-icu"', '"und-x-icu"') : ());
is( ask($node, qq{SELECT md5(hll_agg(t COLLATE $_)::bytea) || bool_and(sketch_hash(t COLLATE $_) = sketch_hash(t))
	FROM held}),
	ask($node, q{SELECT md5(hll_agg(t)::bytea) || true FROM held}), "same hashes: COLLATE $_") for @collations;

SKIP:
{
	skip 'this server has no ICU', 5 if !$has_icu;
	ask($node, q{CREATE COLLATION no_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TABLE folded (t text COLLATE no_case, a text[] COLLATE no_case);
		INSERT INTO folded VALUES ('a', '{a}')});
	fails_with($node, "SELECT $_ FROM folded", '0A000', 'nondeterministic', "refused: $_")
	  for 'sketch_hash(t)', 'hll_agg(t)', 'hll_add(hll_empty(), t)', 'approx_count_distinct(a)', 'hll_agg(t || $$x$$)';
}

SKIP:
{
	skip 'citext is not installed', 8 if !available($node, 'citext');
	ask($node, q{CREATE EXTENSION citext; CREATE DOMAIN email AS citext;
		CREATE TABLE cited (c citext, e email, a citext[]); INSERT INTO cited VALUES ('A', 'A', '{A}')});
	fails_with($node, "SELECT $_ FROM cited", '0A000', 'citext', "refused: $_")
	  for 'sketch_hash(c)', 'hll_agg(c)', 'hll_agg(c, 10)', 'hll_add(hll_empty(), c)', 'approx_count_distinct(e)',
		'hll_agg(a)', 'sketch_hash(a)';
	is(ask($node, q{SELECT hll_agg(lower(c::text)) = hll_agg('a'::text) FROM cited}), 't', 'lower(c::text) is taken');
}

$node->stop;
done_testing();
