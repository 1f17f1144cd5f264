# Sketches leave and come back: pg_dump, COPY, another schema, another owner,
# beside another extension with a type hll, and gone without a trace.

use strict;
use warnings;

use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('dump');
my $folder = PostgreSQL::Test::Utils::tempdir();

sub run_client
{
	my ($name, @command) = @_;
	return $node->command_ok(\@command, $name);
}

sub create_database
{
	my ($name, @statements) = @_;
	ask($node, "CREATE DATABASE $name");
	ask($node, $_, $name) for @statements;
	return;
}

# ---------------------------------------------------------------------------
# Sketches of every form and kind, with and without a seed, NULL, inline and
# stored out of line. `$in` is the schema of the extension, as a prefix.

sub fill
{
	my ($in) = @_;
	return qq{
		CREATE TABLE forms (id int PRIMARY KEY, h ${in}hll, made ${in}hll NOT NULL DEFAULT ${in}hll_empty(12));
		INSERT INTO forms (id, h) VALUES (1, NULL), (2, ${in}hll_empty()), (3, ${in}hll_empty(4)),
			(4, ${in}hll_empty(18, -5));
		INSERT INTO forms (id, h) SELECT 10 + p * 10 + size, ${in}hll_agg('v' || i, p, seed)
			FROM unnest(ARRAY[4, 10, 14, 18], ARRAY[0, 77, 0, -1]) t(p, seed), generate_series(0, 5) size,
				generate_series(1, (4 ^ (size + 1))::int) i
			GROUP BY p, size;
		INSERT INTO forms (id, h) SELECT 300, ${in}hll_agg(i) FROM generate_series(1, 100000) i;
		CREATE VIEW totals AS SELECT id % 7 AS part, ${in}hll_union(h) AS h, ${in}approx_count_distinct(id) AS n
			FROM forms WHERE id >= 10 AND id < 60 GROUP BY 1;
		CREATE MATERIALIZED VIEW kept AS SELECT id % 7 AS part, ${in}hll_agg(id, 9) AS h FROM forms GROUP BY 1;
		CREATE VIEW joined AS SELECT a.id, a.h OPERATOR(${in}||) ${in}hll_empty() AS h, OPERATOR(${in}#) a.h AS n
			FROM forms a;
		CREATE INDEX by_hash ON forms USING hash (h);
		CREATE INDEX by_count ON forms (${in}hll_count(h));
		CREATE AGGREGATE raw_agg(bigint) (SFUNC = ${in}hll_agg_step, STYPE = ${in}hll,
			COMBINEFUNC = ${in}hll_union_step, PARALLEL = SAFE);
		CREATE DOMAIN small_hll AS ${in}hll CHECK (octet_length(VALUE::bytea) < 1000);
		CREATE TABLE small (h small_hll, a ${in}hll[]);
		INSERT INTO small SELECT ${in}hll_agg(i), ARRAY[${in}hll_agg(i), NULL] FROM generate_series(1, 3) i;
		CREATE TABLE filters (id int PRIMARY KEY, f ${in}bloom DEFAULT ${in}bloom_empty(5, 0.1));
		INSERT INTO filters VALUES (1, DEFAULT), (2, NULL), (3, ${in}bloom_empty(5, 0.0001, -3));
		INSERT INTO filters SELECT 10 + size, ${in}bloom_agg('v' || i, size * 1000, 0.01, size)
			FROM generate_series(1, 5) size, generate_series(1, size * size * 100) i GROUP BY size;
		INSERT INTO filters SELECT 300, ${in}bloom_agg(i, 500000, 0.01) FROM generate_series(1, 1000) i;
		CREATE VIEW found AS SELECT id, ${in}bloom_contains(f, 'v7') AS v7, f OPERATOR(${in}||) f AS f FROM filters
			WHERE id BETWEEN 10 AND 20;
		CREATE INDEX filters_by_hash ON filters USING hash (f);
		CREATE AGGREGATE raw_bloom_agg(bigint, bigint, float8) (SFUNC = ${in}bloom_agg_step, STYPE = ${in}bloom,
			COMBINEFUNC = ${in}bloom_union_step, PARALLEL = SAFE);
		CREATE TABLE frequencies (id int PRIMARY KEY, c ${in}cms DEFAULT ${in}cms_empty(0.1, 0.1));
		INSERT INTO frequencies VALUES (1, DEFAULT), (2, NULL), (3, ${in}cms_empty()), (4, ${in}cms_empty(0.1, 0.01, -3));
		INSERT INTO frequencies SELECT 10 + size, ${in}cms_agg('v' || i, i * 1000000000::bigint, 0.1 / size, 0.01, size)
			FROM generate_series(1, 5) size, generate_series(1, size * size * 100) i GROUP BY size;
		INSERT INTO frequencies SELECT 300, ${in}cms_agg(i) FROM generate_series(1, 10000) i;
		CREATE VIEW counted AS SELECT id, ${in}cms_count(c, 'v7') AS v7, c OPERATOR(${in}||) c AS c, ${in}cms_total(c) AS total
			FROM frequencies WHERE id BETWEEN 10 AND 20;
		CREATE VIEW moving AS SELECT id, ${in}cms_union(c) OVER (ORDER BY id ROWS 1 PRECEDING) AS c FROM frequencies WHERE id IN (1, 2, 3);
		CREATE INDEX frequencies_by_hash ON frequencies USING hash (c);
		CREATE AGGREGATE raw_cms_agg(bigint, bigint) (SFUNC = ${in}cms_agg_step, STYPE = ${in}cms,
			COMBINEFUNC = ${in}cms_union_step, PARALLEL = SAFE);
		CREATE TABLE tops (id int PRIMARY KEY, t ${in}topk DEFAULT ${in}topk_empty(7));
		INSERT INTO tops VALUES (1, DEFAULT), (2, NULL), (3, '\\x611000'), (4, ${in}topk_empty(10000, -3));
		INSERT INTO tops SELECT 10 + size, ${in}topk_agg(U&'v\\00FC' || i, size, i * 1000000000::bigint, size)
			FROM generate_series(1, 5) size, generate_series(1, size * size * 100) i GROUP BY size;
		INSERT INTO tops SELECT 300, ${in}topk_agg(i, 10) FROM generate_series(1, 10000) i;
		-- A state that an aggregate without a final function left in a table.
		CREATE AGGREGATE raw_topk_agg(bigint, int) (SFUNC = ${in}topk_agg_step, STYPE = ${in}topk,
			COMBINEFUNC = ${in}topk_union_step, PARALLEL = SAFE);
		INSERT INTO tops SELECT 400, raw_topk_agg(i, 10) FROM generate_series(1, 3000) i;
		CREATE VIEW listed AS SELECT id, i.*, ${in}topk_count(t, U&'v\\00FC7') AS v7, t OPERATOR(${in}||) t AS t
			FROM tops, ${in}topk_items(t, 2) i WHERE id BETWEEN 10 AND 20;
		CREATE INDEX tops_by_hash ON tops USING hash (t);
	};
}

my $content = q{
	SELECT id, h::bytea, made::bytea FROM forms ORDER BY id;
	SELECT part, h::bytea FROM kept ORDER BY part;
	SELECT id, h::bytea, n FROM joined ORDER BY id;
	SELECT h::bytea, a::text FROM small;
	SELECT id, md5(f::bytea) FROM filters ORDER BY id;
	SELECT id, v7, md5(f::bytea) FROM found ORDER BY id;
	SELECT id, md5(c::bytea) FROM frequencies ORDER BY id;
	SELECT id, v7, total, md5(c::bytea) FROM counted ORDER BY id;
	SELECT id, md5(c::bytea) FROM moving ORDER BY id;
	SELECT id, md5(t::bytea) FROM tops ORDER BY id;
	SELECT id, rank, item, count, error, guaranteed, v7, md5(t::bytea) FROM listed ORDER BY id, rank;
	SELECT raw_agg(i)::bytea, md5(raw_bloom_agg(i, 500000, 0.01)::bytea), raw_cms_agg(i, i)::bytea, raw_topk_agg(i, 5)::bytea
	FROM generate_series(1, 3) i};

create_database('origin', 'CREATE EXTENSION bloomsketch', fill(''));
my $expected = ask($node, $content, 'origin');
my $forms_seen = q{SELECT string_agg(DISTINCT (hll_info(h)).representation, ' ') FROM forms};
is(ask($node, $forms_seen, 'origin'), 'dense empty sparse', 'there are sketches of all forms');
cmp_ok(ask($node, q{SELECT pg_relation_size(reltoastrelid) FROM pg_class WHERE relname = 'forms'}, 'origin'),
	'>', 0, 'some are stored out of line');

# ---------------------------------------------------------------------------
# pg_dump and restore; the extension in a schema of its own next.

create_database('in_schema', 'CREATE SCHEMA "a Schema"; CREATE EXTENSION bloomsketch SCHEMA "a Schema"',
	fill('"a Schema".'));
is(ask($node, $content, 'in_schema'), $expected, 'the same sketches in another schema, not in the search path');

for my $database ('origin', 'in_schema')
{
	create_database("plain_$database");
	run_client("pg_dump, plain, $database", 'pg_dump', '-f', "$folder/$database.sql", $node->connstr($database));
	run_client("restore, plain, $database", 'psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-f',
		"$folder/$database.sql", $node->connstr("plain_$database"));
	is(ask($node, $content, "plain_$database"), $expected, "the same bytes after a plain dump, $database");

	create_database("custom_$database");
	run_client("pg_dump, custom, $database", 'pg_dump', '-Fc', '-f', "$folder/$database.dump",
		$node->connstr($database));
	run_client("pg_restore, custom, $database", 'pg_restore', '-e', '-d', $node->connstr("custom_$database"),
		"$folder/$database.dump");
	is(ask($node, $content, "custom_$database"), $expected, "the same bytes after a custom dump, $database");

	my $dump = slurp_file("$folder/$database.sql");
	like($dump, qr/CREATE EXTENSION .*bloomsketch/, "the dump creates the extension, $database");
	unlike($dump, qr/CREATE (?:FUNCTION|TYPE|OPERATOR|CAST)\b/, "the dump holds none of its members, $database");
}

# ---------------------------------------------------------------------------
# COPY, both formats; the working form of raw_agg comes back in the stored one.

ask($node, 'CREATE TABLE copied (LIKE forms); CREATE TABLE working (h hll); CREATE TABLE copied_filters (LIKE filters);
	CREATE TABLE built (f bloom); CREATE TABLE copied_frequencies (LIKE frequencies); CREATE TABLE states (c cms);
	CREATE TABLE copied_tops (LIKE tops); CREATE TABLE top_states (t topk)', 'origin');
for my $format ('text', 'csv', 'binary')
{
	my $through = "'$folder/copied' (FORMAT $format)";
	ask($node, "TRUNCATE copied; COPY forms TO $through; COPY copied FROM $through", 'origin');
	is( ask($node, q{
		SELECT count(*), count(*) FILTER (WHERE a.h::bytea IS DISTINCT FROM b.h::bytea OR a.made <> b.made)
		FROM forms a FULL JOIN copied b USING (id)}, 'origin'),
		'29|0', "the same bytes after COPY, $format");
	ask($node, "TRUNCATE working; COPY (SELECT raw_agg(i) FROM generate_series(1, 3) i) TO $through;
		COPY working FROM $through", 'origin');
	is(ask($node, q{SELECT h = hll_agg(i), raw_agg(i) = h FROM working, generate_series(1, 3) i GROUP BY h}, 'origin'),
		't|f', "a working form is stored in the form at rest by COPY, $format");
	ask($node, "TRUNCATE copied_filters; COPY filters TO $through; COPY copied_filters FROM $through", 'origin');
	is(ask($node, 'SELECT count(*), count(*) FILTER (WHERE a.f::bytea IS DISTINCT FROM b.f::bytea)
		FROM filters a FULL JOIN copied_filters b USING (id)', 'origin'), '9|0', "the same filters after COPY, $format");
	ask($node, "TRUNCATE built; COPY (SELECT raw_bloom_agg(i, 500000, 0.01) FROM generate_series(1, 3) i) TO $through;
		COPY built FROM $through", 'origin');
	is(ask($node, q{SELECT f = bloom_agg(i, 500000, 0.01), raw_bloom_agg(i, 500000, 0.01) = f
		FROM built, generate_series(1, 3) i GROUP BY f}, 'origin'),
		't|f', "a filter that is being built is stored in the form at rest by COPY, $format");
	ask($node, "TRUNCATE copied_frequencies; COPY frequencies TO $through; COPY copied_frequencies FROM $through", 'origin');
	is(ask($node, 'SELECT count(*), count(*) FILTER (WHERE a.c::bytea IS DISTINCT FROM b.c::bytea)
		FROM frequencies a FULL JOIN copied_frequencies b USING (id)', 'origin'), '10|0', "the same frequencies after COPY, $format");
	ask($node, "TRUNCATE states; COPY (SELECT raw_cms_agg(i, i) FROM generate_series(1, 500) i
		UNION ALL SELECT raw_cms_agg(i, i) FROM generate_series(1, 5) i) TO $through; COPY states FROM $through", 'origin');
	is(ask($node, q{SELECT count(*), bool_or(c = (SELECT cms_agg(i, i) FROM generate_series(1, 500) i)),
		bool_or(c = (SELECT cms_agg(i, i) FROM generate_series(1, 5) i)), max(get_byte(c::bytea, 1) % 8) FROM states}, 'origin'),
		'2|t|t|1', "states of frequencies are stored in the form at rest by COPY, $format");
	ask($node, "TRUNCATE copied_tops; COPY tops TO $through; COPY copied_tops FROM $through", 'origin');
	is(ask($node, 'SELECT count(*), count(*) FILTER (WHERE a.t::bytea IS DISTINCT FROM b.t::bytea)
		FROM tops a FULL JOIN copied_tops b USING (id)', 'origin'), '11|0', "the same most frequent values after COPY, $format");
	ask($node, "TRUNCATE top_states; COPY (SELECT raw_topk_agg(i, 5) FROM generate_series(1, 500) i) TO $through;
		COPY top_states FROM $through", 'origin');
	is(ask($node, q{SELECT t = (SELECT topk_agg(i, 5) FROM generate_series(1, 500) i),
		pg_column_size(t) < (SELECT pg_column_size(raw_topk_agg(i, 5)) FROM generate_series(1, 500) i) FROM top_states}, 'origin'),
		't|t', "a state of the most frequent values is sent and stored at rest by COPY, $format");
}

# ---------------------------------------------------------------------------
# Moving the extension: everything that uses it moves along.

ask($node, 'CREATE SCHEMA elsewhere; ALTER EXTENSION bloomsketch SET SCHEMA elsewhere', 'origin');
is(ask($node, $content, 'origin'), $expected, 'the same sketches after SET SCHEMA');
is(ask($node, q{SELECT count(*) FROM pg_proc WHERE proname ~ '^(hll_|bloom_|counting_bloom_|cuckoo_|cms_|topk_|sketch_|approx_)'
	AND pronamespace = 'public'::regnamespace}, 'origin'), 0, 'nothing stays behind');
is( ask($node, q{
	REFRESH MATERIALIZED VIEW kept;
	INSERT INTO forms (id, h) SELECT 400, elsewhere.hll_agg(i) FROM generate_series(1, 9) i;
	UPDATE forms SET h = elsewhere.hll_add(h, 10::bigint) WHERE id = 400;
	SELECT made OPERATOR(elsewhere.=) elsewhere.hll_empty(12), OPERATOR(elsewhere.#) h,
		h OPERATOR(elsewhere.=) (SELECT elsewhere.hll_agg(i) FROM generate_series(1, 10) i) FROM forms WHERE id = 400;
	SET search_path = elsewhere, public;
	SELECT count(DISTINCT h), #hll_union(h) > 90000 FROM forms WHERE id IN (300, 400)}, 'origin'),
	"t|10|t\n2|t", 'everything works after SET SCHEMA');

# ---------------------------------------------------------------------------
# Beside Debian's postgresql-15-hll, which has the same names in `public`.

SKIP:
{
	skip 'no other extension named hll here', 4 if !available($node, 'hll');
	create_database('beside',
		'CREATE EXTENSION hll; CREATE SCHEMA sketch; CREATE EXTENSION bloomsketch SCHEMA sketch', fill('sketch.'));
	is(ask($node, $content, 'beside'), $expected, 'beside another hll: the same sketches');
	is( ask($node, q{
		SELECT round(#hll_add_agg(hll_hash_bigint(i))), #(hll_add_agg(hll_hash_bigint(i)) || hll_empty()) > 0,
			sketch.hll_count(sketch.hll_agg(i)), sketch.approx_count_distinct(i) FROM generate_series(1, 50) i;
		SET search_path = sketch, public;
		SELECT #hll_agg(i), #(hll_agg(i) || hll_empty()), hll_agg(i) = hll_agg(i + 0),
			round(hll_cardinality(hll_add_agg(hll_hash_bigint(i)))) FROM generate_series(1, 50) i}, 'beside'),
		"50|t|50|50\n50|50|t|50", 'beside another hll: both usable, in both orders of the search path');
	my $from_view = 'SELECT n FROM joined WHERE id = 53';
	is(ask($node, $from_view, 'beside'), ask($node, $from_view, 'origin'), 'beside another hll: views keep theirs');
	create_database('beside_restored');
	run_client('beside another hll: pg_dump', 'pg_dump', '-Fc', '-f', "$folder/beside.dump", $node->connstr('beside'));
	run_client('beside another hll: pg_restore', 'pg_restore', '-e', '-d', $node->connstr('beside_restored'),
		"$folder/beside.dump");
	is(ask($node, $content, 'beside_restored'), $expected, 'beside another hll: the same bytes after a dump');
	create_database('one_schema', 'CREATE EXTENSION hll');
	fails_with($node, 'CREATE EXTENSION bloomsketch', '42710', 'already exists',
		'beside another hll: not in one schema', 'one_schema');
}

# ---------------------------------------------------------------------------
# Leaving: the catalogs have as many rows as before.

my @catalogs = qw(pg_proc pg_type pg_operator pg_opclass pg_opfamily pg_amop pg_amproc pg_cast pg_aggregate
  pg_description pg_depend pg_namespace pg_extension pg_init_privs);
my $catalog_rows = 'SELECT ' . join ' || $$ $$ || ', map { "(SELECT count(*) FROM $_)" } @catalogs;
create_database('leaving');
my $before = ask($node, $catalog_rows, 'leaving');
isnt(ask($node, "CREATE EXTENSION bloomsketch; $catalog_rows", 'leaving'), $before,
	'CREATE EXTENSION adds to the catalogs');
is(ask($node, "DROP EXTENSION bloomsketch; $catalog_rows", 'leaving'), $before, 'DROP EXTENSION leaves nothing');
ask($node,
	'CREATE EXTENSION bloomsketch; CREATE TABLE t (h hll, i int); CREATE VIEW v AS SELECT hll_union(h) FROM t',
	'leaving');
fails_with($node, 'DROP EXTENSION bloomsketch', '2BP01', 'depend', 'DROP EXTENSION minds what depends on it',
	'leaving');
is(ask($node, "DROP EXTENSION bloomsketch CASCADE; DROP TABLE t; $catalog_rows", 'leaving'), $before,
	'DROP EXTENSION CASCADE leaves nothing');

$node->stop;
done_testing();
