# What CREATE EXTENSION brings: one version everywhere, the functions that are
# promised and no others, each with its properties and its comment.

use strict;
use warnings;

use BloomsketchServer;
use File::Find;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('install');
my $root = source_root();

# ---------------------------------------------------------------------------
# The version stands in bloomsketch.control. Wherever else it is written it must
# be the same: in the name of the install script, and in any of these spellings.

my ($version) = slurp_file("$root/bloomsketch.control") =~ /^default_version = '(.+)'$/m;
like($version, qr/^\d+\.\d+$/, 'bloomsketch.control has a version');
is(ask($node, q{SELECT extversion FROM pg_extension WHERE extname = 'bloomsketch'}),
	$version, 'it is the one that is installed');
is(ask($node, q{SELECT string_agg(version, ' ') FROM pg_available_extension_versions WHERE name = 'bloomsketch'}),
	$version, 'there is an install script for it, and for no other');

my @spellings = (
	qr/bloomsketch--(\d[\d.]*\d)\.sql/,
	qr/bloomsketch[- ]v?(\d+\.\d+(?:\.\d+)?)\b/i,
	qr/\bVERSION '(\d[\d.]*)'/i,
	qr/default_version\W+(\d[\d.]*\d)/,
	qr/"version"\s*:\s*"(\d[\d.]*\d)"/,
	qr/"bloomsketch"[^{}]*?"file".*?"version"\s*:\s*"(\d[\d.]*\d)"/s);
my $written_by_hand = qr{/(?:README|CHANGELOG|META|Makefile|[^/]*\.(?:md|json|sql|control|cpp|hpp|mk|sh))[^/]*$};
my @files;
find({ no_chdir => 1, wanted => sub {
	$File::Find::prune = 1 if m{/(?:\.git|build|tmp_check|results|test|expected)$};
	push @files, $_ if -f && m{$written_by_hand} && !m{/bloomsketch--[^/]*$};
}}, $root);
cmp_ok(scalar @files, '>', 10, 'there are files to look through');
for my $file (sort @files)
{
	my $content = slurp_file($file);
	my @found = map { $content =~ /$_/g } @spellings;
	next unless @found;
	$file =~ s{^\Q$root\E/}{};
	# PGXN's versions have three parts.
	my $here = $file eq 'META.json' ? "$version.0" : $version;
	is_deeply([ grep { $_ ne $here } @found ], [], "the version is $version wherever it stands in $file");
}
if (defined(my $changes = slurp_if_there("$root/CHANGELOG.md")))
{
	my ($newest) = $changes =~ /^## \[?v?(\d[\d.]*\d|unreleased)/mi;
	like($newest // '', qr/^(?:\Q$version\E|unreleased)$/i, 'CHANGELOG.md begins with it, or with what is unreleased');
}

is(ask($node, q{SELECT superuser, trusted, relocatable, schema IS NULL, requires IS NULL
	FROM pg_available_extension_versions WHERE name = 'bloomsketch'}),
	't|t|t|t|t', 'it is trusted and relocatable, and needs no other extension');

# ---------------------------------------------------------------------------
# The surface. Types with overloads of their own, and each function.

my @aggregate_types = ('smallint', 'integer', 'bigint', 'text', 'bytea', 'uuid', 'numeric', 'date',
	'timestamp without time zone', 'timestamp with time zone', '"char"', 'anyelement');
my @scalar_types = ('text', '"char"', 'anyelement');

my @types = qw(bloom cms counting_bloom cuckoo hll topk);

sub for_each_type
{
	my ($line, @types) = @_;
	return map { $line =~ s/\@T/$_/r } @types;
}

# What each type has: input and output, operators, casts.
sub behind_the_type
{
	my ($t) = @_;
	return ("${t}_in(cstring) $t", "${t}_out($t) cstring", "${t}_recv(internal) $t", "${t}_send($t) bytea",
		(map { "${t}_$_($t, $t) boolean" } qw(eq ne lt le gt ge)),
		"${t}_cmp($t, $t) integer", "${t}_hash($t) integer", "${t}_hash_extended($t, bigint) bigint",
		"${t}_from_bytea(bytea) $t");
}

sub objects_of_the_type
{
	my ($t) = @_;
	return ("type $t", (map { "operator $_($t,$t)" } '||', '=', '<>', '<', '<=', '>', '>='),
		"cast from $t to bytea", "cast from bytea to $t",
		(map { ("operator class ${t}_ops for access method $_", "operator family ${t}_ops for access method $_") }
			'btree', 'hash'));
}

# What both filters have that values can be removed from.
sub deletable
{
	my ($t) = @_;
	my $parameters = 'capacity bigint, false_positive_rate double precision';
	return (
		for_each_type("aggregate ${t}_agg(value \@T, $parameters) $t", @aggregate_types),
		for_each_type("aggregate ${t}_agg(value \@T, $parameters, seed bigint) $t", @scalar_types),
		"aggregate ${t}_union(filter $t) $t",
		"${t}_union(a $t, b $t) $t",
		"${t}_empty($parameters, seed bigint DEFAULT 0) $t",
		(map { for_each_type("${t}_$_(filter $t, value \@T) $t", @scalar_types) } 'add', 'remove'),
		for_each_type("${t}_try_remove(INOUT filter $t, value \@T, OUT removed boolean) record", @scalar_types),
		for_each_type("${t}_contains(filter $t, value \@T) boolean", @scalar_types),
		for_each_type("${t}_count(filter $t, value \@T) bigint", @scalar_types),
		for_each_type("${t}_agg_step(state $t, value \@T, $parameters) $t", @aggregate_types),
		for_each_type("${t}_agg_step(state $t, value \@T, $parameters, seed bigint) $t", @scalar_types),
		"${t}_union_step(state $t, filter $t) $t",
		"${t}_agg_final(state $t) $t",
		"${t}_union_final(state $t) $t");
}

my @expected = (
	for_each_type('sketch_hash(value @T, seed bigint DEFAULT 0) bigint', @scalar_types),
	for_each_type('aggregate hll_agg(value @T) hll', @aggregate_types),
	for_each_type('aggregate hll_agg(value @T, "precision" integer) hll', @aggregate_types),
	for_each_type('aggregate hll_agg(value @T, "precision" integer, seed bigint) hll', @scalar_types),
	for_each_type('aggregate approx_count_distinct(value @T) bigint', @aggregate_types),
	for_each_type('aggregate approx_count_distinct(value @T, "precision" integer) bigint', @aggregate_types),
	'aggregate hll_union(sketch hll) hll',
	'hll_union(a hll, b hll) hll',
	'hll_count(sketch hll) bigint',
	'hll_empty() hll',
	'hll_empty("precision" integer, seed bigint DEFAULT 0) hll',
	for_each_type('hll_add(sketch hll, value @T) hll', @scalar_types),
	'hll_reduce(sketch hll, "precision" integer) hll',
	'hll_bounds(sketch hll, confidence double precision DEFAULT 0.95, OUT lower bigint, OUT estimate bigint, '
	  . 'OUT upper bigint) record',
	'hll_overlap(a hll, b hll, OUT only_a bigint, OUT only_b bigint, OUT "both" bigint, OUT total bigint, '
	  . 'OUT jaccard double precision) record',
	'hll_info(sketch hll, OUT "precision" integer, OUT standard_error double precision, OUT representation text, '
	  . 'OUT registers_used integer, OUT bytes integer, OUT value_type text, OUT seed bigint) record',
	# Behind the aggregates
	for_each_type('hll_agg_step(state hll, value @T) hll', @aggregate_types),
	for_each_type('hll_agg_step(state hll, value @T, "precision" integer) hll', @aggregate_types),
	for_each_type('hll_agg_step(state hll, value @T, "precision" integer, seed bigint) hll', @scalar_types),
	'hll_union_step(state hll, sketch hll) hll',
	'hll_agg_final(state hll) hll',
	'hll_union_final(state hll) hll',
	'hll_count_final(state hll) bigint',
	'bloom_sizing(capacity bigint, false_positive_rate double precision, OUT bits bigint, OUT bytes bigint, '
	  . 'OUT hashes integer, OUT bits_per_value double precision) record',
	for_each_type('aggregate bloom_agg(value @T) bloom', @aggregate_types),
	for_each_type('aggregate bloom_agg(value @T, false_positive_rate double precision) bloom', @aggregate_types),
	for_each_type('aggregate bloom_agg(value @T, capacity bigint, false_positive_rate double precision) bloom',
		@aggregate_types),
	for_each_type('aggregate bloom_agg(value @T, capacity bigint, false_positive_rate double precision, seed bigint) bloom',
		@scalar_types),
	'aggregate bloom_union(filter bloom) bloom',
	'bloom_union(a bloom, b bloom) bloom',
	'bloom_empty(capacity bigint, false_positive_rate double precision, seed bigint DEFAULT 0) bloom',
	for_each_type('bloom_add(filter bloom, value @T) bloom', @scalar_types),
	for_each_type('bloom_contains(filter bloom, value @T) boolean', @scalar_types),
	'bloom_count(filter bloom) bigint',
	'bloom_info(filter bloom, OUT capacity bigint, OUT target_rate double precision, '
	  . 'OUT expected_rate double precision, OUT items bigint, OUT bits bigint, OUT bits_set bigint, '
	  . 'OUT fill_ratio double precision, OUT hashes integer, OUT layers integer, OUT bytes bigint, '
	  . 'OUT scalable boolean, OUT saturated boolean, OUT value_type text, OUT seed bigint) record',
	# Behind the aggregates
	for_each_type('bloom_agg_step(state bloom, value @T) bloom', @aggregate_types),
	for_each_type('bloom_agg_step(state bloom, value @T, false_positive_rate double precision) bloom', @aggregate_types),
	for_each_type('bloom_agg_step(state bloom, value @T, capacity bigint, false_positive_rate double precision) bloom',
		@aggregate_types),
	for_each_type('bloom_agg_step(state bloom, value @T, capacity bigint, false_positive_rate double precision, '
		  . 'seed bigint) bloom', @scalar_types),
	'bloom_union_step(state bloom, filter bloom) bloom',
	'bloom_agg_final(state bloom) bloom',
	'bloom_union_final(state bloom) bloom',
	'counting_bloom_sizing(capacity bigint, false_positive_rate double precision, OUT counters bigint, OUT bytes bigint, '
	  . 'OUT hashes integer, OUT bits_per_value double precision) record',
	'cuckoo_sizing(capacity bigint, false_positive_rate double precision, OUT bits bigint, OUT bytes bigint, '
	  . 'OUT fingerprint_bits integer, OUT bits_per_value double precision) record',
	(map { deletable($_) } 'counting_bloom', 'cuckoo'),
	# Without a capacity there is an error that says so.
	for_each_type('aggregate counting_bloom_agg(value @T, false_positive_rate double precision) counting_bloom', @aggregate_types),
	for_each_type('counting_bloom_agg_step(state counting_bloom, value @T, false_positive_rate double precision) counting_bloom',
		@aggregate_types),
	'counting_bloom_to_bloom(filter counting_bloom) bloom',
	'counting_bloom_info(filter counting_bloom, OUT capacity bigint, OUT target_rate double precision, '
	  . 'OUT expected_rate double precision, OUT items bigint, OUT counters bigint, OUT counters_set bigint, '
	  . 'OUT counters_stuck bigint, OUT fill_ratio double precision, OUT hashes integer, OUT bytes bigint, '
	  . 'OUT saturated boolean, OUT value_type text, OUT seed bigint) record',
	'cuckoo_info(filter cuckoo, OUT capacity bigint, OUT target_rate double precision, '
	  . 'OUT expected_rate double precision, OUT items bigint, OUT buckets bigint, OUT bits bigint, '
	  . 'OUT load_factor double precision, OUT fingerprint_bits integer, OUT bytes bigint, OUT value_type text, OUT seed bigint) record',
	for_each_type('aggregate cms_agg(value @T) cms', @aggregate_types),
	for_each_type('aggregate cms_agg(value @T, weight bigint) cms', @aggregate_types),
	for_each_type('aggregate cms_agg(value @T, epsilon double precision, delta double precision) cms', @aggregate_types),
	for_each_type('aggregate cms_agg(value @T, weight bigint, epsilon double precision, delta double precision) cms',
		@aggregate_types),
	for_each_type('aggregate cms_agg(value @T, weight bigint, epsilon double precision, delta double precision, seed bigint) cms',
		@scalar_types),
	'aggregate cms_union(sketch cms) cms',
	'cms_union(a cms, b cms) cms',
	'cms_empty() cms',
	'cms_empty(epsilon double precision, delta double precision, seed bigint DEFAULT 0) cms',
	for_each_type('cms_add(sketch cms, value @T) cms', @scalar_types),
	for_each_type('cms_add(sketch cms, value @T, weight bigint) cms', @scalar_types),
	for_each_type('cms_count(sketch cms, value @T) bigint', @scalar_types),
	'cms_total(sketch cms) bigint',
	'cms_inner_product(a cms, b cms) bigint',
	'cms_info(sketch cms, OUT width integer, OUT depth integer, OUT epsilon double precision, OUT delta double precision, '
	  . 'OUT total bigint, OUT error_bound bigint, OUT bytes bigint, OUT value_type text, OUT seed bigint) record',
	# Behind the aggregates, and behind window frames
	for_each_type('cms_agg_step(state cms, value @T) cms', @aggregate_types),
	for_each_type('cms_agg_step(state cms, value @T, weight bigint) cms', @aggregate_types),
	for_each_type('cms_agg_step(state cms, value @T, epsilon double precision, delta double precision) cms', @aggregate_types),
	for_each_type('cms_agg_step(state cms, value @T, weight bigint, epsilon double precision, delta double precision) cms',
		@aggregate_types),
	for_each_type('cms_agg_step(state cms, value @T, weight bigint, epsilon double precision, delta double precision, '
		  . 'seed bigint) cms', @scalar_types),
	'cms_union_step(state cms, sketch cms) cms',
	'cms_agg_final(state cms) cms',
	'cms_union_final(state cms) cms',
	map({ ("${_}_frame_step(frame internal, sketch $_) internal", "${_}_frame_inverse(frame internal, sketch $_) internal",
			"${_}_frame_final(frame internal) $_") } 'cms', 'hll'),
	for_each_type('aggregate topk_agg(value @T, k integer) topk', @aggregate_types),
	for_each_type('aggregate topk_agg(value @T, k integer, weight bigint) topk', @aggregate_types),
	for_each_type('aggregate topk_agg(value @T, k integer, weight bigint, seed bigint) topk', @scalar_types),
	'aggregate topk_union(sketch topk) topk',
	'topk_union(a topk, b topk) topk',
	'topk_empty(k integer, seed bigint DEFAULT 0) topk',
	for_each_type('topk_add(sketch topk, value @T) topk', @scalar_types),
	for_each_type('topk_add(sketch topk, value @T, weight bigint) topk', @scalar_types),
	for_each_type('topk_count(sketch topk, value @T) bigint', @scalar_types),
	'topk_items(sketch topk, OUT rank integer, OUT item text, OUT count bigint, OUT error bigint, OUT guaranteed boolean) SETOF record',
	'topk_items(sketch topk, "limit" integer, OUT rank integer, OUT item text, OUT count bigint, OUT error bigint, '
	  . 'OUT guaranteed boolean) SETOF record',
	'topk_info(sketch topk, OUT k integer, OUT counters integer, OUT counters_used integer, OUT total bigint, OUT max_error bigint, '
	  . 'OUT bytes bigint, OUT value_type text, OUT seed bigint) record',
	# Behind the aggregates
	for_each_type('topk_agg_step(state topk, value @T, k integer) topk', @aggregate_types),
	for_each_type('topk_agg_step(state topk, value @T, k integer, weight bigint) topk', @aggregate_types),
	for_each_type('topk_agg_step(state topk, value @T, k integer, weight bigint, seed bigint) topk', @scalar_types),
	'topk_union_step(state topk, sketch topk) topk',
	'topk_agg_final(state topk) topk',
	'topk_union_final(state topk) topk',
	map { behind_the_type($_) } @types);

my $members = q{(SELECT classid, objid FROM pg_depend WHERE deptype = 'e' AND refclassid = 'pg_extension'::regclass
	AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomsketch'))};
my $array_type = q{(classid = 'pg_type'::regclass AND objid IN (SELECT typarray FROM pg_type))};
my $functions = "pg_proc p JOIN $members m ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid";
my @found = split /\n/, ask($node, qq{
	SELECT CASE prokind WHEN 'a' THEN 'aggregate ' WHEN 'f' THEN '' ELSE prokind::text || ' ' END || proname
		|| '(' || pg_get_function_arguments(p.oid) || ') ' || pg_get_function_result(p.oid) FROM $functions});

# So that what is missing and what is too much can be read at once.
sub lists_agree
{
	my ($found, $expected, $name) = @_;
	my %left = map { $_ => 1 } @$found;
	my @missing = grep { !delete $left{$_} } @$expected;
	is_deeply({ missing => [ sort @missing ], unexpected => [ sort keys %left ] },
		{ missing => [], unexpected => [] }, $name);
	is(scalar @$found, scalar @$expected, "$name, none twice");
	return;
}

lists_agree(\@found, \@expected, 'the functions are those that are promised');

my @other_objects = split /\n/, ask($node, qq{
	SELECT pg_describe_object(classid, objid, 0) FROM $members m
	WHERE classid <> 'pg_proc'::regclass AND NOT $array_type});
lists_agree(\@other_objects, [
	(map { objects_of_the_type($_) } @types),
	'operator #(NONE,hll)', 'cast from counting_bloom to bloom',
], 'the other objects are those that are promised');

# ---------------------------------------------------------------------------
# Properties that hold for all.

my $type_names = join ', ', map { "'$_'" } @types;

my %violation_of = (
	'every function is IMMUTABLE' => q{provolatile <> 'i'},
	'every function is PARALLEL SAFE' => q{proparallel <> 's'},
	'no function is LEAKPROOF' => 'proleakproof',
	'no function is SECURITY DEFINER or changes settings' => 'prosecdef OR proconfig IS NOT NULL',
	'everybody may call every function' => 'proacl IS NOT NULL',
	'every function is in C' => q{prokind = 'f' AND prolang NOT IN (SELECT oid FROM pg_language
		WHERE lanname IN ('c', 'internal'))},
	'every C function is in the library' => q{probin <> '$libdir/bloomsketch'});
for my $rule (sort keys %violation_of)
{
	is(ask($node, "SELECT p.oid::regprocedure FROM $functions WHERE $violation_of{$rule}"), '', $rule);
}
is( ask($node, qq{
	SELECT p.oid::regprocedure FROM $functions JOIN pg_aggregate a ON a.aggfnoid = p.oid
	WHERE aggtranstype::regtype::text NOT IN ($type_names) OR aggcombinefn = 0 OR aggserialfn <> 0 OR aggfinalmodify <> 'r'
		OR agginitval IS NOT NULL}),
	'', 'every aggregate has a flat state, can be combined, and leaves its state alone');
is( ask($node, qq{
	SELECT pg_describe_object(classid, objid, 0) FROM $members m
	WHERE classid NOT IN ('pg_cast'::regclass, 'pg_opclass'::regclass, 'pg_opfamily'::regclass)
		AND NOT $array_type
		AND coalesce(obj_description(objid, classid::regclass::name), '') !~ '\\w'}),
	'', 'every function, aggregate, operator and type has a comment');
is( ask($node, qq{SELECT typname, typstorage, typlen, typbyval, typsend <> 0 AND typreceive <> 0
		FROM pg_type t JOIN $members m
		ON m.classid = 'pg_type'::regclass AND m.objid = t.oid WHERE typcategory <> 'A' ORDER BY 1}),
	join("\n", map { "$_|e|-1|f|t" } @types), 'every type is of variable length with STORAGE external, and sends and receives');
is( ask($node, qq{SELECT p.oid::regprocedure, aggmfinalmodify, aggmtranstype::regtype FROM $functions
		JOIN pg_aggregate a ON a.aggfnoid = p.oid WHERE aggmtransfn <> 0 ORDER BY proname}),
	"cms_union(cms)|r|internal\nhll_union(hll)|r|internal", 'aggregates that have an inverse for window frames');
is( ask($node, q{SELECT castcontext, castmethod FROM pg_cast
		WHERE (castsource, casttarget) = ('counting_bloom'::regtype, 'bloom'::regtype)}), 'e|f', 'the cast to bloom is explicit');
for my $type (@types)
{
	is( ask($node, qq{SELECT castsource::regtype, castcontext, castmethod FROM pg_cast
			WHERE (castsource, casttarget) IN (('$type'::regtype, 'bytea'::regtype), ('bytea'::regtype, '$type'::regtype))
			ORDER BY castsource = 'bytea'::regtype}),
		# A topk goes out at rest.
		($type eq 'topk' ? "$type|e|f" : "$type|e|b") . "\nbytea|e|f", "$type: both casts are explicit, and the one from bytea checks");
	is( ask($node, qq{SELECT count(*), count(*) FILTER (WHERE amvalidate(oid)) FROM pg_opclass
			WHERE opcintype = '$type'::regtype AND opcdefault}),
		'2|2', "$type: the operator classes are complete");
}

$node->stop;
done_testing();
