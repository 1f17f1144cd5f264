# Distributed engines: the module in test/distributed does to an aggregate what
# Citus does, and the results are byte for byte those of a plain run. All
# aggregates of the extension are tried, as the catalog lists them, except those
# over anyelement: such an engine looks for the declared type and never finds it.

use strict;
use warnings;

use BloomsketchServer;
use DistributedEngine;
use Test::More;

my $node = start_server('distributed', 'jit = off', 'max_parallel_workers_per_gather = 0');
load_engine($node);

# One column for each type of value or sketch that aggregates take, named as
# the type is; n goes up and some of it comes twice, on shards 0 and 3.
my %column_of = (
	'smallint' => 'n::smallint',
	'integer' => 'n',
	'bigint' => 'n * 1000000007::bigint',
	'text' => q{repeat('visitor ', n % 3) || n},
	'bytea' => q{decode(lpad(to_hex(n), 8, '0'), 'hex')},
	'uuid' => 'md5(n::text)::uuid',
	'numeric' => 'n / 4.0',
	'date' => q{date '2024-01-01' + n},
	'timestamp without time zone' => q{timestamp '2024-01-01' + n * interval '1 minute'},
	'timestamp with time zone' => q{timestamptz '2024-01-01 00:00+00' + n * interval '1 minute'},
	'"char"' => q{chr(33 + n % 90)::"char"},
	'hll' => q{CASE WHEN n % 500 = 1 THEN (SELECT hll_agg(j, 10) FROM generate_series(n, n + 300) j)
		WHEN n % 7 = 0 THEN hll_empty() ELSE hll_add(hll_empty(10), n) END},
	'bloom' => q{CASE WHEN n % 500 = 1 THEN (SELECT bloom_agg(j, 7000, 0.01) FROM generate_series(n, n + 300) j)
		WHEN n % 7 = 0 THEN (SELECT bloom_agg(j, 1, 0.5) FROM generate_series(1, 0) j)
		ELSE bloom_add(bloom_empty(7000, 0.01), n) END},
	'counting_bloom' => q{CASE WHEN n % 500 = 1 THEN (SELECT counting_bloom_agg(j, 7000, 0.01) FROM generate_series(n, n + 300) j)
		WHEN n % 7 = 0 THEN '\x311000' ELSE counting_bloom_add(counting_bloom_empty(7000, 0.01), n) END},
	'cms' => q{CASE WHEN n % 500 = 1 THEN (SELECT cms_agg(j, j, 0.003, 0.01) FROM generate_series(n, n + 300) j)
		WHEN n % 7 = 0 THEN cms_empty() ELSE cms_add(cms_empty(0.003, 0.01), n, n * n) END},
	'topk' => q{CASE WHEN n % 500 = 1 THEN (SELECT topk_agg(j, 600, j) FROM generate_series(n, n + 300) j)
		WHEN n % 7 = 0 THEN '\x611000' ELSE topk_add(topk_empty(600), n, n * n) END});

# What every other argument is, by its name. With k = 600 there is a counter for each
# of the 6,000 values: only then are the bytes of a topk the same whichever way.
my %parameter_of = (
	precision => '11', seed => '77::bigint', capacity => '7000::bigint', false_positive_rate => '0.02::float8',
	weight => '30000000::bigint', k => '600', epsilon => '0.004::float8', delta => '0.02::float8');

sub column
{
	my ($type) = @_;
	$type =~ tr/"//d;
	return qq{"$type"};
}

# Shard 0 has most rows, shard 2 nothing but NULL, shard 4 none; group 12 is NULL.
my @columns = sort keys %column_of;
my $columns = join ', ', map { 'CASE WHEN i % 10 <> 3 AND i % 13 < 12 AND shard <> 2 THEN '
	  . "$column_of{$_} END AS " . column($_) } @columns;
ask($node, qq{
	CREATE TABLE visits AS
	SELECT shard, i % 13 AS g, $columns
	FROM (SELECT i, CASE WHEN i <= 4000 THEN 0 WHEN i <= 4900 THEN 1 WHEN i <= 5000 THEN 2 ELSE 3 END AS shard,
	             CASE WHEN i <= 5000 THEN i ELSE i - 4500 END AS n
	      FROM generate_series(1, 6000) i) visits});

# The extension's aggregates: signature, name, type of result, arguments.
my @aggregates;
for (split /\n/, ask($node, q{
	SELECT concat_ws('|', p.oid::regprocedure, proname, prorettype::regtype,
		array_to_string(proargnames, ','), array_to_string(proargtypes::regtype[], ','))
	FROM pg_proc p JOIN pg_depend ON classid = 'pg_proc'::regclass AND objid = p.oid AND deptype = 'e'
	JOIN pg_extension e ON refclassid = 'pg_extension'::regclass AND refobjid = e.oid AND extname = 'bloomsketch'
	WHERE prokind = 'a' ORDER BY 1}))
{
	my ($signature, $name, $result, $names, $types) = split /\|/;
	my @types = split /,/, $types;
	my @arguments = map { $parameter_of{$_} } split /,/, $names;
	$arguments[0] = column($types[0]);
	push @aggregates, {
		signature => $signature, name => $name, result => $result, type => $types[0], arguments => \@arguments };
}
# Filters that size themselves and cuckoo filters are right in their answers, and not
# equal in bytes; and counting_bloom_agg without a capacity is there for its error alone.
my @sized = grep { $_->{name} eq 'bloom_agg' && @{ $_->{arguments} } < 3 } @aggregates;
my @apart = (@sized, grep { $_->{result} eq 'cuckoo' && $_->{type} ne 'anyelement'
	  || $_->{name} eq 'counting_bloom_agg' && @{ $_->{arguments} } < 3 } @aggregates);
@aggregates = grep { my $one = $_; !grep { $_ == $one } @apart } @aggregates;
my @concrete = grep { $_->{type} ne 'anyelement' } @aggregates;
my @polymorphic = grep { $_->{type} eq 'anyelement' } @aggregates;

# Nothing may be left out unseen: neither a type nor an argument without a value.
my %seen = map { $_->{type} => 1 } @concrete;
is_deeply([ sort keys %seen ], \@columns, 'the types that aggregates are declared for');
is(join(' ', map { $_->{signature} } grep { grep { !defined } @{ $_->{arguments} } } @aggregates),
	'', 'there is a value for every argument');
cmp_ok(scalar(@concrete), '>=', 133, 'number of concrete aggregates');

my $all = 'SELECT * FROM generate_series(0, 4)';
my @cases = (
	[ 'all rows', $all, 'true' ],
	[ 'workers the other way round', "$all ORDER BY 1 DESC", 'true' ],
	[ 'groups', $all, 'true', 'g' ],
	[ 'nothing but NULL', $all, 'shard = 2' ],
	[ 'no rows', $all, 'false' ],
	[ 'no workers', "$all WHERE false", 'false' ]);

# The query's rows as one text; sketches are printed as their bytes.
sub all_of
{
	my ($query) = @_;
	return "(SELECT string_agg(to_jsonb(q)::text, ' ' ORDER BY to_jsonb(q)) FROM ($query) q)";
}

sub plain
{
	my ($aggregate, $rows, $by) = @_;
	my $call = "$aggregate->{name}(" . join(', ', @{ $aggregate->{arguments} }) . ') AS r';
	return "SELECT $call FROM visits WHERE $rows" if !defined $by;
	return "SELECT $by AS k, $call FROM visits WHERE $rows GROUP BY $by";
}

for my $aggregate (@concrete)
{
	my (@checks, @expected);
	for my $case (@cases)
	{
		my ($name, $workers, $rows, $by) = @$case;
		for my $transport (qw(text binary))
		{
			my $distributed = workers_and_coordinator($aggregate, $transport, $workers, $rows, $by);
			push @checks, "SELECT '$name, $transport: ' || (" . all_of($distributed) . ' = '
			  . all_of(plain($aggregate, $rows, $by)) . ')';
			push @expected, "$name, $transport: true";
		}
	}
	my ($status, $out, $err) = $node->psql('postgres', join '; ', @checks);
	is("$out$err", join("\n", @expected), $aggregate->{signature});
}

# The comparisons above have something to compare.
my ($bigint) = grep { $_->{signature} eq 'hll_agg(bigint)' } @concrete;
like(ask($node, 'SELECT (hll_info(r)).* FROM (' . plain($bigint, 'true') . ') q'),
	qr/^14\|[^|]*\|dense\|/, 'all rows make a dense sketch');
is(ask($node, 'SELECT count(*), count(DISTINCT r) FROM (' . plain($bigint, 'true', 'g') . ') q'),
	'13|13', 'groups have different sketches');
is(ask($node, 'SELECT hll_count(r) FROM (' . plain($bigint, 'shard = 2') . ') q'), '0', 'shard 2 has only NULL');
is( ask($node, q{
		SELECT worker_text(a, x) <> hll_agg(x)::text, worker_text(a, x)::hll = hll_agg(x),
		       worker_text(a, x) FILTER (WHERE false) IS NULL
		FROM (SELECT 'hll_agg(bigint)'::regprocedure AS a, "bigint" AS x FROM visits WHERE shard = 1) q}),
	't|t|t', 'a worker sends the state in its working form, and NULL without rows');

# Large filters travel in the form that they are built in.
my %large = (
	signature => 'bloom_agg(bigint,bigint,double precision)', name => 'bloom_agg', result => 'bloom',
	arguments => [ '"bigint"', '600000::bigint', '0.01::float8' ]);
for my $transport (qw(text binary))
{
	my $distributed = workers_and_coordinator(\%large, $transport, $all, 'true');
	is(ask($node, "SELECT r = (" . plain(\%large, 'true') . ") FROM ($distributed) q"), 't', "a large filter, $transport");
}
is( ask($node, q{
		SELECT get_byte(worker_text('bloom_agg(bigint,bigint,float8)'::regprocedure,
			ROW("bigint", 600000::bigint, 0.01::float8))::bytea, 1) & 7 FROM visits WHERE shard = 1}),
	1, 'which a worker sends');

# Filters that size themselves: each worker's state becomes a layer on its way, since a type's
# input stores no working form. All values are found, of most others none, as the rates add up.
is(scalar(@sized), 24, 'aggregates that size a filter');
for my $aggregate (grep { $_->{type} ne 'anyelement' } @sized)
{
	my $x = $aggregate->{arguments}[0];
	my @answers;
	for my $transport (qw(text binary))
	{
		my $distributed = workers_and_coordinator($aggregate, $transport, $all, 'true');
		push @answers, ask($node, "SET client_min_messages = error; SELECT (bloom_info(r)).layers, (SELECT bool_and(bloom_contains(r, $x)) FROM visits WHERE $x IS NOT NULL), "
			  . "(bloom_info(r)).expected_rate <= 3 * 1.05 * (bloom_info(r)).target_rate FROM ($distributed) q");
	}
	my $shared = $x eq '"char"' ? '[123]' : 3;    # where the values of one shard are among another's
	like("@answers", qr/^$shared\|t\|t $shared\|t\|t$/, $aggregate->{signature});
}
my ($sized) = grep { $_->{signature} eq 'bloom_agg(integer)' } @sized;
for my $transport (qw(text binary))
{
	is(ask($node, 'SELECT r FROM (' . workers_and_coordinator($sized, $transport, $all, 'shard = 2') . ') q'), '\x211000', "nothing but NULL, $transport");
	is( ask($node, 'SELECT r = (' . plain($sized, 'shard = 1') . ') FROM ('
			  . workers_and_coordinator($sized, $transport, $all, 'shard = 1') . ') q'),
		't', "the values of one worker, $transport");
}
is( ask($node, q{SELECT get_byte(worker_text('bloom_agg(integer)'::regprocedure, "integer")::bytea, 1) & 7 FROM visits WHERE shard = 1}),
	3, 'which sends the hashes');

# Sketches of frequencies travel as they are built, too: few values as a list, many as counters of 32 or 64
# bits, whatever the weights.
my %weighted = (
	signature => 'cms_agg(bigint,bigint,double precision,double precision)', name => 'cms_agg', result => 'cms',
	arguments => [ '"bigint"', '"bigint"', '0.002::float8', '0.01::float8' ]);
for my $transport (qw(text binary))
{
	my $distributed = workers_and_coordinator(\%weighted, $transport, $all, 'true');
	is(ask($node, "SELECT r = (" . plain(\%weighted, 'true') . ") FROM ($distributed) q"), 't', "large weights, $transport");
}
is( ask($node, q{
		SELECT get_byte(worker_text('cms_agg(integer)'::regprocedure, "integer") FILTER (WHERE "integer" % 100 = 0)::bytea, 1) & 7,
			get_byte(worker_text('cms_agg(integer)'::regprocedure, "integer")::bytea, 1) & 7,
			get_byte(worker_text('cms_agg(integer,bigint)'::regprocedure, ROW("integer", 5000000::bigint))::bytea, 1) & 7
		FROM visits WHERE shard = 0}),
	'2|3|4', 'the forms that workers send');
is( ask($node, q{
		SELECT combine('cms_agg(bigint)'::regprocedure, state, NULL::cms) = cms_add(cms_add(cms_empty(), 1, 7), 2)
		FROM (VALUES (cms_add(cms_empty(), 1, 7)::text), (NULL), (cms_empty()::text), (cms_add(cms_empty(), 2)::text)) sent (state)}),
	't', 'states at rest and none');
fails_with($node, q{
		SELECT combine('cms_agg(bigint)'::regprocedure, state, NULL::cms)
		FROM (VALUES (cms_add(cms_empty(), 1, 9223372036854775807)::text), (cms_add(cms_empty(), 2)::text)) sent (state)},
	'22003', 'total of a cms is out of range', 'a total that only the coordinator sees');

# The most frequent values travel at rest, whatever form the state is in; where there are
# fewer counters than values, the answers are right.
is( ask($node, q{
		SELECT worker_text('topk_agg(integer,integer)'::regprocedure, ROW("integer", 5))::topk::text =
			worker_text('topk_agg(integer,integer)'::regprocedure, ROW("integer", 5)), get_byte(worker_text('topk_agg(integer,integer)'::regprocedure, ROW("integer", 5))::bytea, 1) & 7
		FROM visits WHERE shard = 0}),
	't|0', 'a worker sends its state at rest');
my %few_counters = (
	signature => 'topk_agg(text,integer,bigint)', name => 'topk_agg', result => 'topk', arguments => [ '"text"', '5', '("integer" % 10)::bigint' ]);
for my $transport (qw(text binary))
{
	my $distributed = workers_and_coordinator(\%few_counters, $transport, $all, 'true');
	is( ask($node, qq{SELECT total = (SELECT sum("integer" % 10) FROM visits), counters_used, max_error <= total / 1000,
			(SELECT bool_and(w BETWEEN i.count - error AND i.count) FROM topk_items(r, 1000) i
				JOIN (SELECT "text" AS item, sum("integer" % 10) AS w FROM visits GROUP BY "text") t USING (item))
		FROM ($distributed) q, topk_info(r)}),
		't|1000|t|t', "few counters, $transport");
}

# Cuckoo filters hold the same multiset whichever way, with copies on several shards; and filters unite.
my %cuckoo = (
	signature => 'cuckoo_agg(integer,bigint,double precision)', name => 'cuckoo_agg', result => 'cuckoo',
	arguments => [ '"integer"', '7000::bigint', '0.01::float8' ]);
my $same_multiset = q{(SELECT items FROM cuckoo_info(r)) = (SELECT count("integer") FROM visits),
	(SELECT bool_and(cuckoo_count(r, v) >= n) FROM (SELECT "integer" AS v, count(*) AS n FROM visits WHERE "integer" IS NOT NULL GROUP BY 1) t),
	(SELECT bool_and(cuckoo_count(r, v) = cuckoo_count(plain, v)) FROM generate_series(-1000, 7000) v)
	FROM (SELECT cuckoo_agg("integer", 7000, 0.01) AS plain FROM visits) p};
for my $transport (qw(text binary))
{
	my $distributed = workers_and_coordinator(\%cuckoo, $transport, $all, 'true');
	is(ask($node, "SELECT $same_multiset, ($distributed) q"), 't|t|t', "cuckoo filters, $transport");
}
is( ask($node, qq{
		SELECT $same_multiset, (SELECT cuckoo_union(f) AS r FROM (SELECT cuckoo_agg("integer", 7000, 0.01) AS f FROM visits GROUP BY shard) s) u}),
	't|t|t', 'cuckoo filters of shards unite');

# The engine itself, on aggregates of PostgreSQL whose functions are strict or
# not, and whose states are values or references.
for my $of ([ 'max', 'integer', 'integer' ], [ 'min', 'text', 'text' ], [ 'sum', 'integer', 'bigint' ])
{
	my ($name, $type, $result) = @$of;
	my $aggregate = { signature => "$name($type)", name => $name, result => $result, arguments => [ column($type) ] };
	my $query = workers_and_coordinator($aggregate, 'text', $all, 'true', 'g');
	is(ask($node, 'SELECT ' . all_of($query)), ask($node, 'SELECT ' . all_of(plain($aggregate, 'true', 'g'))),
		"the engine does $name($type)");
}
fails_with($node, q{SELECT worker_text('avg(bigint)'::regprocedure, 1::bigint)}, 'XX000',
	'no state that can travel', 'the engine refuses a state of type internal');

# Callers that break the rules see an error that says so.
for my $aggregate (@polymorphic)
{
	my @arguments = ('1.5::float8', @{ $aggregate->{arguments} }[ 1 .. $#{ $aggregate->{arguments} } ]);
	my $argument = @arguments > 1 ? 'ROW(' . join(', ', @arguments) . ')' : $arguments[0];
	my $call = "('$aggregate->{signature}'::regprocedure, $argument)";
	fails_with($node, "SELECT worker_text$call", '42804', 'not of the types', "no match: $aggregate->{signature}");
	fails_with($node, "SELECT unchecked_worker$call", '42P18', 'type of the value.*HINT:.*text',
		"unchecked: $aggregate->{signature}");
}
is(scalar(@polymorphic), 19, 'aggregates over anyelement');
fails_with($node, q{SELECT worker_text('hll_agg(bigint)'::regprocedure, 1)}, '42804', 'not of the types',
	'integer for a declared bigint');

# Workers whose states do not go together, and a state that is none.
sub combined
{
	my $states = join ', ', map { "((SELECT $_))" } @_;
	return "SELECT combine('hll_agg(bigint)'::regprocedure, state::text, NULL::hll) FROM (VALUES $states) sent (state)";
}
fails_with($node, combined('hll_agg(1, 10)', 'hll_agg(2, 11)'),
	'22023', 'precision 10 .*precision 11', 'two precisions');
fails_with($node, combined(q{hll_agg('a'::text, 9, 5)}, q{hll_agg('b'::text, 9, 6)}),
	'22023', 'seed 5 .*seed 6', 'two seeds');
fails_with($node, combined('hll_agg(1)', q{hll_agg('b'::text)}),
	'42804', 'integer values .*text values', 'two kinds of values');
fails_with($node, combined(q{'\x11'}), '22P03', 'malformed hll', 'a state that is cut off');
fails_with($node, combined(q{'11'}), '22P02', 'invalid input syntax for type hll', 'a state that is no sketch');

# One argument comes with its collation, so what cannot be counted is refused.
SKIP:
{
	skip 'this server has no ICU', 1
	  if ask($node, q{SELECT count(*) FROM pg_collation WHERE collname = 'und-x-icu'}) ne '1';
	fails_with($node, q{
		CREATE COLLATION ignore_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		SELECT worker_text('hll_agg(text)'::regprocedure, 'a'::text COLLATE ignore_case)},
		'0A000', 'nondeterministic collation', 'a nondeterministic collation');
}

# Citus has rules of its own for aggregates with these names, whatever their schema.
my %taken = map { $_ => 1 } qw(hll_add_agg hll_union_agg topn_add_agg topn_union_agg tdigest tdigest_percentile
  tdigest_percentile_of);
is(join(' ', grep { $taken{$_} } map { $_->{name} } @aggregates), '', 'no name that Citus takes for another');

$node->stop;
done_testing();
