# Look-ups in a stored filter of 1.2 MB: one reads few pages, many in one query
# read the filter once, and none ever answers from a filter that has changed.

use strict;
use warnings;

use BloomsketchServer;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('bloom_lookup', 'jit = off', 'autovacuum = off', 'max_parallel_workers_per_gather = 0',
	'shared_buffers = 64MB');
my $folder = PostgreSQL::Test::Utils::tempdir();

ask($node, q{
	CREATE TABLE filters (id int PRIMARY KEY, f bloom);
	INSERT INTO filters SELECT 1, bloom_agg('user' || n || '@example.com', 1000000, 0.01)
	FROM generate_series(1, 100000) n;
	CREATE FUNCTION is_in(filter bloom, value text) RETURNS boolean LANGUAGE sql AS 'SELECT bloom_contains(filter, value)';
	CREATE FUNCTION is_in_loop(filter bloom, value text) RETURNS boolean LANGUAGE plpgsql
		AS 'BEGIN RETURN bloom_contains(filter, value); END';
	VACUUM ANALYZE filters});

# ---------------------------------------------------------------------------
# Pages. The first run fills the session's caches and does not count.

sub pages_of_runs
{
	my ($query, $runs) = @_;
	my @plans = split /^Execution Time:.*\n?/m,
	  ask($node, "PREPARE q AS $query; " . 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE q; ' x ($runs + 1));
	die "@plans" if @plans != $runs + 1;
	return map { pages_in($_) } @plans[ 1 .. $runs ];
}

# The first line about buffers is the whole plan's.
sub pages_in
{
	my ($plan) = @_;
	my ($hit, $read) = $plan =~ /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/ or die $plan;
	return ($hit // 0) + ($read // 0);
}

sub pages_of
{
	my ($query) = @_;
	return (pages_of_runs($query, 1))[0];
}

my $whole = pages_of('SELECT md5(f::bytea) FROM filters WHERE id = 1');
cmp_ok($whole, '>=', 150, "reading the filter whole takes $whole pages");
my %one = (
	'a column' => q{SELECT bloom_contains(f, 'x') FROM filters WHERE id = 1},
	'a value that is there' => q{SELECT bloom_contains(f, 'user9@example.com') FROM filters WHERE id = 1},
	'a condition' => q{SELECT id FROM filters WHERE NOT bloom_contains(f, 'x')},
	'a scalar sub-query' => q{SELECT bloom_contains((SELECT f FROM filters WHERE id = 1), 'x')},
	'a CTE' => q{WITH t AS MATERIALIZED (SELECT f FROM filters) SELECT bloom_contains(f, 'x') FROM t},
	'an SQL function' => q{SELECT is_in(f, 'x') FROM filters WHERE id = 1},
	'a PL/pgSQL function' => q{SELECT is_in_loop(f, 'x') FROM filters WHERE id = 1});
for my $what (sort keys %one)
{
	cmp_ok(pages_of($one{$what}), '<=', 20, "one look-up reads few pages: $what");
}
# The same in layers, of which each takes a block: 300,000 values and one more, and four
# filters united. A value that is there is found in the last one that has it.
ask($node, q{
	CREATE TABLE layered (id int PRIMARY KEY, f bloom);
	INSERT INTO layered SELECT 1, bloom_add(bloom_agg(n), -1) FROM generate_series(1, 300000) n;
	INSERT INTO layered SELECT 2, bloom_union(f) FROM (SELECT bloom_agg(n) AS f FROM generate_series(1, 800000) n GROUP BY n % 4) t;
	VACUUM ANALYZE layered});
my $whole_layers = pages_of('SELECT md5(f::bytea) FROM layered WHERE id = 1');
cmp_ok($whole_layers, '>=', 150, "reading a filter in layers whole takes $whole_layers pages");
for my $id (1, 2)
{
	my $few = $id == 1 ? 25 : 40;
	for my $value (-1, 7, -99)
	{
		my $pages = pages_of("SELECT bloom_contains(f, $value) FROM layered WHERE id = $id");
		cmp_ok($pages, '<=', $few, "one look-up in layers reads few pages ($pages): filter $id, value $value");
	}
	my $all = pages_of("SELECT count(*) FROM generate_series(1, 100000) g, layered WHERE id = $id AND NOT bloom_contains(f, -g)");
	my $reading = pages_of("SELECT md5(f::bytea) FROM layered WHERE id = $id");
	cmp_ok($all, '<=', 3 * $reading, "100,000 look-ups read the filter once ($all pages): in layers, filter $id");
	is(ask($node, "SELECT bool_and(bloom_contains(f, g)), count(*) FILTER (WHERE bloom_contains(f, -g) <> bloom_contains(f || '\\x211000', -g)) "
		  . "FROM layered, generate_series(1, 300) g WHERE id = $id"), 't|0', "by slices and whole the answers are the same: filter $id");
}

# How often a filter was read is forgotten with the transaction: in queries of their own
# 60 look-ups never add up to a filter that is read whole, which would not last.
my ($most) = sort { $b <=> $a } pages_of_runs($one{'a column'}, 60);
cmp_ok($most, '<=', 20, "each of 60 look-ups, one in a transaction, reads few pages ($most)");
my %many = (
	'a scalar sub-query' => q{SELECT count(*) FROM generate_series(1, 100000) g
		WHERE NOT bloom_contains((SELECT f FROM filters), g::text)},
	'a join' => 'SELECT count(*) FROM generate_series(1, 100000) g, filters WHERE NOT bloom_contains(f, g::text)',
	'a CTE' => q{WITH t AS MATERIALIZED (SELECT f FROM filters) SELECT count(*) FROM generate_series(1, 100000) g, t
		WHERE NOT bloom_contains(f, g::text)},
	'an SQL function' => 'SELECT count(*) FROM generate_series(1, 100000) g, filters WHERE NOT is_in(f, g::text)');
for my $what (sort keys %many)
{
	my $pages = pages_of($many{$what});
	cmp_ok($pages, '<=', 3 * $whole, "100,000 look-ups read the filter once ($pages pages): $what");
}

# What was read is kept for all calls of a transaction, once: a query over 40
# partitions has 40 calls, and a join may take turns between filters.
ask($node, q{
	CREATE TABLE parts (x bigint) PARTITION BY HASH (x);
	DO $$ BEGIN FOR i IN 0..39 LOOP
		EXECUTE format('CREATE TABLE part%s PARTITION OF parts FOR VALUES WITH (MODULUS 40, REMAINDER %s)', i, i);
	END LOOP; END $$;
	INSERT INTO parts SELECT generate_series(1, 40000);
	CREATE TABLE copies AS SELECT copy, bloom_add(f, 'copy ' || copy) AS f FROM filters, generate_series(1, 5) copy;
	VACUUM ANALYZE parts; VACUUM ANALYZE copies});
my $of_parts = pages_of('SELECT count(*) FROM parts');
my $partitioned = pages_of('SELECT count(*) FROM parts WHERE bloom_contains((SELECT f FROM filters), x::text)');
cmp_ok($partitioned - $of_parts, '<=', 3 * $whole, "40 partitions read the filter once ($partitioned pages)");
my $turns = 'SELECT count(*) FROM generate_series(1, 10000) g, copies WHERE bloom_contains(f, g::text) OFFSET 0';
like(ask($node, "EXPLAIN $turns"), qr/Nested Loop.*Function Scan.*Materialize/s, 'a join that takes turns between filters');
my $taking_turns = pages_of($turns);
cmp_ok($taking_turns, '<=', 3 * 5 * $whole, "each of 5 filters is read once ($taking_turns pages)");
# No more of them than a hash table's memory, or one, with the same answers.
is(ask($node, "SET work_mem = '1MB'; SET hash_mem_multiplier = 1; $turns"), ask($node, $turns), 'filters that do not all fit');

# ---------------------------------------------------------------------------
# Never stale. In one session; what other sessions do, `other` does. A value that
# was just added may have been a false positive before, with one in 10^6 at this load.

my $other = "\\! psql -X -q -d '" . $node->connstr('postgres') . "' -c ";

# 60 look-ups are enough for the filter to be read whole and kept.
my $sixty = q{SELECT count(*) FROM generate_series(1, 60) g WHERE bloom_contains((SELECT f FROM filters), $1)};
ask($node, 'CREATE TABLE origin AS SELECT f FROM filters');

sub fresh_filter
{
	ask($node, 'UPDATE filters SET f = origin.f FROM origin');
	return;
}

fresh_filter();
is( ask($node, qq{
		PREPARE one(text) AS SELECT bloom_contains(f, \$1) FROM filters WHERE id = 1;
		PREPARE sixty(text) AS $sixty;
		EXECUTE one('a'); EXECUTE sixty('a');
		UPDATE filters SET f = bloom_add(f, 'a');
		EXECUTE one('a'); EXECUTE sixty('a');
		$other "UPDATE filters SET f = bloom_add(f, 'b')"
		EXECUTE one('b'); EXECUTE sixty('b');
		$other "UPDATE filters SET f = origin.f FROM origin" -c "VACUUM filters"
		EXECUTE one('a'); EXECUTE sixty('b');
		$other "UPDATE filters SET f = bloom_add(f, 'c')" -c "VACUUM FULL filters"
		EXECUTE one('c'); EXECUTE sixty('c')}),
	join("\n", 'f', 0, 't', 60, 't', 60, 'f', 0, 't', 60), 'updated between statements, here and elsewhere, vacuumed');

fresh_filter();
is( ask($node, qq{
		PREPARE sixty(text) AS $sixty;
		BEGIN; EXECUTE sixty('a');
		$other "UPDATE filters SET f = bloom_add(f, 'a')" -c "VACUUM filters"
		EXECUTE sixty('a');
		SAVEPOINT s; UPDATE filters SET f = bloom_add(f, 'b'); EXECUTE sixty('b');
		ROLLBACK TO s; EXECUTE sixty('b'); EXECUTE sixty('a');
		COMMIT;
		BEGIN ISOLATION LEVEL REPEATABLE READ; EXECUTE sixty('c');
		$other "UPDATE filters SET f = bloom_add(f, 'c')" -c "VACUUM filters"
		EXECUTE sixty('c'); COMMIT; EXECUTE sixty('c')}),
	join("\n", 0, 60, 60, 0, 60, 0, 0, 60), 'updated within a transaction, at both levels of isolation');

# A cursor goes on with the filter of its snapshot, although that was vacuumed
# as far as it may be.
fresh_filter();
is( ask($node, qq{
		BEGIN; DECLARE c CURSOR FOR SELECT bloom_contains(f, 'a') FROM filters, generate_series(1, 200) g;
		MOVE 100 IN c;
		$other "UPDATE filters SET f = bloom_add(f, 'a')" -c "VACUUM filters"
		FETCH 1 FROM c; MOVE 90 IN c; FETCH 1 FROM c; SELECT bloom_contains(f, 'a') FROM filters; COMMIT}),
	join("\n", 'f', 'f', 't'), 'updated under a cursor');

# While one statement looks up, a function that it calls adds. The statement sees
# what was there when it began, and the function what it has added.
fresh_filter();
ask($node, q{
	CREATE FUNCTION add_and_ask(value text) RETURNS boolean LANGUAGE plpgsql AS $$
	BEGIN
		UPDATE filters SET f = bloom_add(f, value);
		RETURN bloom_contains((SELECT f FROM filters), value);
	END $$;
	CREATE FUNCTION ask_by_query(value text) RETURNS boolean LANGUAGE sql VOLATILE
		AS 'SELECT bloom_contains(f, value) FROM filters'});
is( ask($node, q{
		SELECT count(*) FILTER (WHERE before) < 3, bool_and(added), bool_and(later)
		FROM (SELECT bloom_contains((SELECT f FROM filters), 'v' || g) AS before, add_and_ask('v' || g) AS added,
			ask_by_query('v' || g) AS later FROM generate_series(1, 150) g) t;
		SELECT bool_and(bloom_contains(f, 'v' || g)) FROM filters, generate_series(1, 150) g}),
	"t|t|t\nt", 'updated within a statement');

# PL/pgSQL keeps the state of an expression for as long as the transaction: with the
# filter in a variable, which is the stored value's pointer, and without.
fresh_filter();
for my $in ('a function', 'a procedure that commits')
{
	my ($kind, $end) = $in =~ /commits/ ? ('PROCEDURE', 'COMMIT;') : ('FUNCTION', '');
	my $returns = $end ? '' : 'RETURNS void';
	ask($node, qq{
		CREATE $kind looped() $returns LANGUAGE plpgsql AS \$\$
		DECLARE
			v bloom;
			kept bloom;
			denied text := '';
		BEGIN
			kept := (SELECT f FROM origin);
			FOR i IN 1..25 LOOP
				UPDATE filters SET f = bloom_add(f, 'w' || i);
				$end
				v := (SELECT f FROM filters);
				FOR j IN 1..60 LOOP
					IF bloom_contains(v, 'w' || j) <> (j <= i) THEN denied := denied || format(' variable %s/%s', j, i); END IF;
					IF bloom_contains((SELECT f FROM filters), 'w' || j) <> (j <= i)
						THEN denied := denied || format(' query %s/%s', j, i); END IF;
					IF bloom_contains(kept, 'w' || j) OR NOT bloom_contains(kept, 'user' || j || '\@example.com')
						THEN denied := denied || format(' kept %s/%s', j, i); END IF;
				END LOOP;
			END LOOP;
			RAISE NOTICE 'wrong:%', denied;
		END \$\$});
	my ($out, $err) = ('', '');
	$node->psql('postgres', ($end ? 'CALL looped()' : 'SELECT looped()'), stdout => \$out, stderr => \$err);
	like($err, qr/NOTICE:  wrong:$/m, "updated in a loop in PL/pgSQL, in $in");
	ask($node, "DROP $kind looped");
	fresh_filter();
}

# Several filters taking turns, NULL, inline and empty ones among them.
ask($node, q{
	CREATE TABLE several (id int, f bloom);
	INSERT INTO several SELECT 0, NULL UNION ALL SELECT 1, bloom_empty(10, 0.1) UNION ALL
		SELECT 2, bloom_agg(n::text, 100, 0.001) FROM generate_series(1, 10) n;
	INSERT INTO several SELECT id, bloom_agg((n * id)::text, 100000, 0.0001) FROM generate_series(3, 6) id,
		generate_series(1, 1000) n GROUP BY id});
is( ask($node, q{
		SELECT id, count(*) FILTER (WHERE c), count(c) FROM (
			SELECT id, bloom_contains(f, n::text) AS c FROM generate_series(1, 1000) n, several ORDER BY n, id) t
		GROUP BY id ORDER BY id}),
	"0|0|0\n1|0|1000\n2|10|1000\n3|333|1000\n4|250|1000\n5|200|1000\n6|166|1000", 'filters that take turns');

# Two sessions write and read for a while: what was committed is never denied.
ask($node, 'CREATE TABLE log (v int); CREATE TABLE denied (v int)');
append_to_file("$folder/write.sql", q{
	\set v random(1, 1000000000)
	BEGIN;
	UPDATE filters SET f = bloom_add(f, 'log ' || :v);
	INSERT INTO log VALUES (:v);
	COMMIT;
});
append_to_file("$folder/read.sql", q{
	INSERT INTO denied SELECT v FROM log WHERE NOT bloom_contains((SELECT f FROM filters), 'log ' || v);
});
append_to_file("$folder/vacuum.sql", "VACUUM filters;\n");
$node->command_ok(
	[ 'pgbench', '-n', '-c', 4, '-j', 2, '-t', 60, '-M', 'prepared', '-f', "$folder/write.sql\@5", '-f',
		"$folder/read.sql\@5", '-f', "$folder/vacuum.sql\@1", $node->connstr('postgres') ],
	'clients write, read and vacuum');
is(ask($node, 'SELECT (SELECT count(*) > 40 FROM log), count(*) FROM denied'), 't|0', 'no committed value was denied');

# ---------------------------------------------------------------------------
# Time: printed, for it depends on the machine. One client, prepared statements.

fresh_filter();
ask($node, 'VACUUM FULL filters; VACUUM ANALYZE filters');
my %query_of = (
	constant => 'SELECT id FROM filters WHERE id = 1;',
	'look-up' => q{SELECT bloom_contains(f, 'user' || :v) FROM filters WHERE id = 1;},
	whole => 'SELECT get_byte(f::bytea, :v) FROM filters WHERE id = 1;');
my %latency;
for my $what (sort keys %query_of)
{
	append_to_file("$folder/$what.sql", "\\set v random(1, 1000000)\n$query_of{$what}\n");
	my ($out, $err) = run_command([ 'pgbench', '-n', '-T', 2, '-M', 'prepared', '-f', "$folder/$what.sql",
			$node->connstr('postgres') ]);
	($latency{$what}) = $out =~ /latency average = ([\d.]+) ms/ or die "$out$err";
}
note(sprintf 'milliseconds: %s', join ', ', map { "$_ $latency{$_}" } sort keys %latency);
note(sprintf 'look-up / constant: %.2f; added by whole / added by look-up: %.1f', $latency{'look-up'} / $latency{constant},
	($latency{whole} - $latency{constant}) / ($latency{'look-up'} - $latency{constant} || 0.001));
cmp_ok($latency{'look-up'}, '<', $latency{whole}, 'a look-up is quicker than reading the filter whole');

$node->stop;
done_testing();
