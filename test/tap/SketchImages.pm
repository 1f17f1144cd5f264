# Stored sketches of every form: test/data/TYPE_images.txt has one on a line,
# made once and to be read for ever (test/data/README.md).
package SketchImages;

use strict;
use warnings;

use BloomsketchServer;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(sketch_types images_of answers_for line_of prepare_images store_images);

# What a sketch answers, as one text, by type. (What may fail depends on a column, so
# that the planner does not try it.)
my %answers = (
	bloom => q{(SELECT array_to_string(ARRAY[capacity::text, target_rate::text, expected_rate::text, items::text, bits::text,
		bits_set::text, hashes::text, layers::text, bytes::text, scalable::text, saturated::text, value_type, seed::text],
		', ', '-') FROM bloom_info(h))},
	counting_bloom => q{(SELECT array_to_string(ARRAY[capacity::text, target_rate::text, expected_rate::text, items::text, counters::text,
		counters_set::text, counters_stuck::text, hashes::text, bytes::text, saturated::text, value_type, seed::text,
		CASE WHEN value_type = 'integer' THEN (SELECT string_agg(counting_bloom_count(h, v)::text, '/' ORDER BY v)
			FROM unnest(ARRAY[items * 0 - 1, 1, 2, 3]) v) END], ', ', '-') FROM counting_bloom_info(h))},
	cuckoo => q{(SELECT array_to_string(ARRAY[capacity::text, target_rate::text, expected_rate::text, items::text, buckets::text,
		fingerprint_bits::text, bytes::text, value_type, seed::text,
		CASE WHEN value_type = 'integer' THEN (SELECT string_agg(cuckoo_count(h, v)::text, '/' ORDER BY v)
			FROM unnest(ARRAY[items * 0 - 1, 1, 2, 3]) v) END], ', ', '-') FROM cuckoo_info(h))},
	cms => q{(SELECT array_to_string(ARRAY[width::text, depth::text, epsilon::text, delta::text, total::text,
		error_bound::text, bytes::text, value_type, seed::text,
		CASE WHEN value_type = 'integer' THEN (SELECT string_agg(cms_count(h, v)::text, '/' ORDER BY v)
			FROM unnest(ARRAY[total * 0 - 1, 1, 2]) v) END,
		CASE WHEN total < 2000000000 THEN (SELECT sum(cms_inner_product(h, g))::text
			FROM unnest(CASE WHEN total >= 0 THEN ARRAY[h] END) g) END], ', ', '-') FROM cms_info(h))},
	hll => q{(SELECT array_to_string(ARRAY[hll_count(h)::text, "precision"::text, standard_error::text, representation,
		registers_used::text, bytes::text, value_type, seed::text], ', ', '-') FROM hll_info(h))},
	topk => q{(SELECT array_to_string(ARRAY[k::text, counters::text, counters_used::text, total::text, max_error::text, bytes::text,
		value_type, seed::text, (SELECT string_agg(concat_ws(' ', item, count, error, guaranteed), '/' ORDER BY rank) FROM topk_items(h, 3)),
		CASE WHEN value_type = 'integer' THEN (SELECT string_agg(topk_count(h, v)::text, '/' ORDER BY v)
			FROM unnest(ARRAY[total * 0 - 1, 1, 2]) v) END], ', ', '-') FROM topk_info(h))});

# The extension's types in this database that columns may have.
sub sketch_types
{
	my ($node, $database) = @_;
	return split /\n/, ask($node, q{
		SELECT typname FROM pg_type t JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = t.oid AND deptype = 'e'
		JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid AND extname = 'bloomsketch'
		WHERE typtype = 'b' AND typelem = 0 ORDER BY 1}, $database);
}

# The lines of a type's file; an error if there is none.
sub images_of
{
	my ($type) = @_;
	my @images;
	for (split /\n/, slurp_file(source_root() . "/test/data/${type}_images.txt"))
	{
		my ($name, $form, $made_by, $image, $answers) = split /\t/;
		push @images, {
			name => $name, form => $form, made_by => $made_by,
			image => $image // '', answers => $answers // '' };
	}
	return @images;
}

# SQL for what the sketch in the expression answers.
sub answers_for
{
	my ($type, $sketch) = @_;
	die "no answers are known for type $type\n" if !$answers{$type};
	return "(SELECT $answers{$type} FROM (SELECT $sketch AS h) sketch)";
}

# The line as this server makes it. A working form of hll, cms or counting_bloom is a state as it is after
# the last row, which an aggregate without a final function gives away; one of bloom
# is put together, because the extension itself makes it for large filters only. That of
# topk never leaves the server.
sub line_of
{
	my ($node, $type, $image, $database) = @_;
	my $made_by = $image->{made_by};
	if ($image->{form} eq 'working')
	{
		$made_by =~ s/\b(hll|cms|counting_bloom)_agg\(/$1_state(/g;
		$made_by =~ s/\bbloom_(waiting|oversized)\(/bloom_$1_image(/g;
		$made_by =~ s/\bbloom_sized\(/bloom_state(/g;
	}
	my $printed = ask($node, "SELECT $made_by; SELECT " . answers_for($type, $image->{made_by}), $database);
	return join "\t", $image->{name}, $image->{form}, $image->{made_by}, split /\n/, $printed;
}

# What the expressions in the files use.
sub prepare_images
{
	my ($node, $database) = @_;
	ask($node, q{CREATE TYPE mood AS ENUM ('calm', 'angry', 'sad')}, $database);
	ask($node, "CREATE AGGREGATE hll_state($_) (SFUNC = hll_agg_step, STYPE = hll)", $database)
	  for 'integer, integer', 'text, integer', 'text, integer, bigint', '"char", integer';
	ask($node, "CREATE AGGREGATE cms_state($_, bigint, float8, float8) (SFUNC = cms_agg_step, STYPE = cms)", $database)
	  for 'integer', 'text';
	ask($node, "CREATE AGGREGATE counting_bloom_state($_, bigint, float8) (SFUNC = counting_bloom_agg_step, STYPE = counting_bloom)", $database)
	  for 'integer', 'text';
	ask($node, "CREATE AGGREGATE bloom_state($_) (SFUNC = bloom_agg_step, STYPE = bloom);
		CREATE AGGREGATE bloom_sized($_) (SFUNC = bloom_agg_step, STYPE = bloom, FINALFUNC = bloom_agg_final)", $database)
	  for 'integer', 'text, float8';
	ask($node, q{
		-- A filter in layers, as one that is to be folded.
		CREATE FUNCTION bloom_oversized_image(filter bloom) RETURNS bytea LANGUAGE sql AS $$
			SELECT set_byte(filter::bytea, 1, get_byte(filter::bytea, 1) & 248 | 4) $$;
		CREATE FUNCTION bloom_oversized(filter bloom) RETURNS bloom LANGUAGE sql AS $$
			SELECT bloom_oversized_image(filter)::bloom $$;
		CREATE AGGREGATE cms_state(text, bigint, float8, float8, bigint) (SFUNC = cms_agg_step, STYPE = cms);
		CREATE FUNCTION little_endian(number bigint, bytes int) RETURNS bytea LANGUAGE sql AS $$
			SELECT string_agg(set_byte('\x00', 0, (number >> 8 * i & 255)::int), '' ORDER BY i)
			FROM generate_series(0, bytes - 1) i $$;
		-- A filter in which some hashes wait.
		CREATE FUNCTION bloom_waiting_image(filter bloom, hashes bigint[]) RETURNS bytea LANGUAGE sql AS $$
			SELECT set_byte(filter::bytea, 1, get_byte(filter::bytea, 1) | 1) || little_endian(cardinality(hashes), 4)
				|| string_agg(little_endian(coalesce(hashes[i], 0), 8), '' ORDER BY i) FROM generate_series(1, 16) i $$;
		CREATE FUNCTION bloom_waiting(filter bloom, hashes bigint[]) RETURNS bloom LANGUAGE sql AS $$
			SELECT bloom_waiting_image(filter, hashes)::bloom $$}, $database);
	return;
}

# One of each type that fills many pages of TOAST: its name, and what makes it of n.
my %large = (
	bloom => [ '1.2 MB', 'bloom_agg(n, 1000000, 0.01)' ],
	counting_bloom => [ '1.4 MB', 'counting_bloom_agg(n, 1000000, 0.01)' ],
	cuckoo => [ '1.3 MB', 'cuckoo_agg(n, 1000000, 0.01)' ],
	cms => [ '27183 x 5', 'cms_agg(n, 1, 0.0001, 0.01)' ],
	hll => [ 'dense, precision 18', 'hll_agg(n, 18)' ],
	topk => [ '100,000 counters', 'topk_agg(n, 10000)' ]);

# A table with all images of a type (hll without one) at rest and a large one; how many
# there are.
sub store_images
{
	my ($node, $table, $database, $type) = @_;
	$type //= 'hll';
	my @rows = map { "('$_->{name}', '$_->{image}')" } grep { $_->{form} eq 'at rest' } images_of($type);
	my ($name, $made_by) = @{ $large{$type} };
	ask($node, "CREATE TABLE $table (name text PRIMARY KEY, h $type); INSERT INTO $table VALUES " . join(', ', @rows)
		  . "; INSERT INTO $table SELECT '$name', $made_by FROM generate_series(1, 100000) n", $database);
	return scalar(@rows) + 1;
}

1;
