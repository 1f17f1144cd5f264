# What look-ups in stored filters keep in memory: how much of it and how long, and how
# a filter that was kept is known again. bloom_lookup.pl has how much is read.

use strict;
use warnings;

use BloomsketchServer;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;
use TestModule;

my $node = start_server('bloom_kept', 'jit = off', 'autovacuum = off', 'max_parallel_workers_per_gather = 0',
	'max_prepared_transactions = 5');

# ---------------------------------------------------------------------------
# Memory. Five filters of 1.2 MB that a join takes turns between.

ask($node, q{
	CREATE TABLE copies AS SELECT copy, bloom_add(f, 'copy ' || copy) AS f FROM generate_series(1, 5) copy,
		(SELECT bloom_agg('user' || n, 1000000, 0.01) AS f FROM generate_series(1, 100000) n) one;
	ANALYZE copies});
my $turns = 'SELECT count(*) FROM generate_series(1, 10000) g, copies WHERE bloom_contains(f, g::text) OFFSET 0';
like(ask($node, "EXPLAIN $turns"), qr/Nested Loop.*Function Scan.*Materialize/s, 'a join that takes turns between filters');

# From PostgreSQL 18 on a context does not name its parent, and only the one itself is seen.
ask($node, q{
	CREATE VIEW kept AS SELECT coalesce(sum(total_bytes), 0) AS bytes, count(*) AS contexts
	FROM pg_backend_memory_contexts c WHERE 'bloomsketch kept values' IN (name, to_jsonb(c) ->> 'parent')});
my $filter_bytes = ask($node, 'SELECT max(pg_column_size(f)) FROM copies');
my $overhead = 16384;    # the context's own first blocks, and what heads each filter

sub kept_after_turns
{
	my ($work_mem) = @_;
	return split /\n/, ask($node, "SET work_mem = '$work_mem'; SET hash_mem_multiplier = 1; BEGIN; "
		  . "SELECT bytes FROM kept; $turns; SELECT bytes FROM kept; COMMIT; SELECT contexts FROM kept");
}
my ($at_first, undef, $bytes, $contexts) = kept_after_turns('64MB');
is($at_first, 0, 'nothing is kept before the first look-up');
cmp_ok($bytes, '>', 5 * $filter_bytes, "5 filters are kept, of $filter_bytes bytes each ($bytes bytes)");
cmp_ok($bytes, '<', 5 * $filter_bytes + $overhead, 'and hardly anything else');
is($contexts, 0, 'none after the transaction');
(undef, undef, $bytes, $contexts) = kept_after_turns('3MB');
cmp_ok($bytes, '<=', 3 << 20, "not more filters than fit into a hash table's memory ($bytes bytes)");
(undef, undef, $bytes, $contexts) = kept_after_turns('1MB');
cmp_ok($bytes, '<', $filter_bytes + $overhead, "where none fits, the one that is in use ($bytes bytes)");
is($contexts, 0, 'none after the transaction');

# A filter in layers is kept like any other.
ask($node, 'CREATE TABLE layered AS SELECT bloom_agg(n) || bloom_agg(-n) AS f FROM generate_series(1, 300000) n');
my ($layered_bytes, undef, $layers_kept) = split /\n/, ask($node, q{BEGIN; SELECT pg_column_size(f) FROM layered;
	SELECT count(*) FROM generate_series(1, 1000) g, layered WHERE bloom_contains(f, g::int); SELECT bytes FROM kept; COMMIT});
cmp_ok($layers_kept, '>=', $layered_bytes, "a filter in layers is kept ($layers_kept bytes)");
cmp_ok($layers_kept, '<', $layered_bytes + $overhead, 'once');

# ---------------------------------------------------------------------------
# Identity.
#
# A toast id is given out again, once the value that had it is gone. That takes four
# billion OIDs, or one function that puts the counter back. In each case below a filter
# is kept, goes, and another one of its size gets its id, while all but one thing by
# which a kept value is known stays as it is: so each of those is needed. (Not xmin, which
# is the least of xmax, the running transactions and one's own.) The oldest transaction
# that runs, and so the snapshot's xmin, is a prepared one in another database, which
# keeps no vacuum from anything here. VACUUM does not truncate, which may take a
# transaction id of its own.
load_module($node, 'next_oid');
ask($node, q{
	CREATE TABLE olds AS SELECT bloom_agg('old ' || n, 20000, 0.01) AS f FROM generate_series(1, 60) n;
	CREATE TABLE news AS SELECT bloom_agg('new ' || n, 20000, 0.01) AS f FROM generate_series(1, 60) n;
	CREATE TABLE reused (f bloom);
	CREATE FUNCTION toast_id(given regclass, OUT id oid) LANGUAGE plpgsql AS $$
	BEGIN
		EXECUTE format('SELECT DISTINCT chunk_id FROM %s', (SELECT reltoastrelid FROM pg_class WHERE oid = given)::regclass)
			INTO STRICT id;
	END $$;
	CREATE DATABASE elsewhere});
ask($node, q{BEGIN; SELECT pg_current_xact_id(); PREPARE TRANSACTION 'oldest'}, 'elsewhere');
my $assign_xid = 'SELECT pg_current_xact_id()';
my $insert_olds = 'INSERT INTO reused SELECT f FROM olds';
my $insert_news = 'INSERT INTO reused SELECT f FROM news';

# A session: a function that runs statements in it and gives what they print.
sub session
{
	my ($in, $out) = ('', '');
	my $psql = IPC::Run::start([ 'psql', '-XqAt', '-v', 'ON_ERROR_STOP=1', '-d', $node->connstr('postgres') ],
		'<', \$in, '>', \$out, '2>', \my $err, IPC::Run::timeout(180));
	return sub {
		my ($statements) = @_;
		return $psql->finish if !defined $statements;
		$in .= "$statements;\n\\echo done\n";
		$psql->pump until $out =~ s/done\n\z// || !$psql->pumpable;
		die "$statements: $err" if !$psql->pumpable;
		my $printed = $out;
		$out = '';
		return $printed =~ s/\n\z//r;
	};
}

# One that has prepared sixty('old') and sixty('new'): 60 look-ups each, in all filters.
sub session_with_sixty
{
	my $session = session();
	$session->(qq{PREPARE sixty(text) AS
		SELECT count(*) FROM generate_series(1, 60) g WHERE bloom_contains((SELECT f FROM reused), \$1 || ' ' || g)});
	return $session;
}
my $ask_both = q{EXECUTE sixty('old'); EXECUTE sixty('new')};

# Stores the first filter in `reused`, and gives its id.
sub fresh_reused
{
	return ask($node, "TRUNCATE reused; $insert_olds; SELECT toast_id('reused')");
}

my $reader = session_with_sixty();
my $id = fresh_reused();
is($reader->("BEGIN; $ask_both"), "60\n0", 'a filter is kept');
ask($node, 'DELETE FROM reused; VACUUM (TRUNCATE false) reused');
is(ask($node, "SELECT set_next_oid($id); $insert_news; SELECT toast_id('reused')"), "\n$id", 'deleted elsewhere, its id in use again');
is($reader->($ask_both), "0\n60", 'the xmax of the snapshot tells them apart');
$reader->('COMMIT');

# The last one to get a transaction id has ended before, and with it xmax stands.
$id = fresh_reused();
my $writer = session();
ask($node, q{BEGIN; DELETE FROM reused; PREPARE TRANSACTION 'delete'});
$writer->("BEGIN; $assign_xid");
ask($node, $assign_xid);
is($reader->("BEGIN; $ask_both"), "60\n0", 'a filter is kept');
my $snapshot = q{SELECT pg_snapshot_xmin(s), pg_snapshot_xmax(s) FROM pg_current_snapshot() s};
my $before = $reader->($snapshot);
ask($node, q{COMMIT PREPARED 'delete'});
ask($node, 'VACUUM (TRUNCATE false) reused');
is($writer->("SELECT set_next_oid($id); $insert_news; SELECT toast_id('reused'); COMMIT"), "\n$id",
	'deleted by one and written by another that ran already');
is($reader->($snapshot), $before, 'with the same xmin and xmax');
is($reader->($ask_both), "0\n60", 'the transactions that run tell them apart');
$reader->('COMMIT');

# What a transaction wrote itself and took back goes at once, under the same snapshot.
# As before, a later transaction id has ended already: that of a block rolled back counts
# as ended, too. Without VACUUM the aborted rows would still hold the id.
ask($node, 'TRUNCATE reused');
$reader->("BEGIN; SAVEPOINT s; $insert_olds");
$id = $reader->(q{SELECT toast_id('reused')});
ask($node, $assign_xid);
is($reader->($ask_both), "60\n0", 'a filter is kept that the transaction wrote');
$before = $reader->($snapshot);
$reader->('ROLLBACK TO s');
ask($node, 'VACUUM (TRUNCATE false) reused');
is($reader->("SELECT set_next_oid($id); $insert_news; SELECT toast_id('reused')"), "\n$id", 'rolled back, its id in use again');
is($reader->($snapshot), $before, 'with the same xmin and xmax');
is($reader->($ask_both), "0\n60", 'the command tells them apart');
$reader->('COMMIT');

$id = fresh_reused();
is($reader->("BEGIN; $ask_both"), "60\n0", 'a filter is kept');
is($reader->("TRUNCATE reused; SELECT set_next_oid($id); $insert_news; SELECT toast_id('reused')"), "\n$id",
	'truncated, its id in use again');
is($reader->($ask_both), "0\n60", 'the command tells them apart');
$reader->('COMMIT');

# The same within one statement, in a function whose every step is a command.
$id = fresh_reused();
is( $reader->(qq{
		DO \$\$ BEGIN
			FOR i IN 1..60 LOOP
				IF NOT bloom_contains((SELECT f FROM reused), 'old ' || i) THEN RAISE 'old % denied', i; END IF;
			END LOOP;
			TRUNCATE reused;
			PERFORM set_next_oid($id);
			$insert_news;
			IF toast_id('reused') <> $id THEN RAISE 'another id'; END IF;
			FOR i IN 1..60 LOOP
				IF NOT bloom_contains((SELECT f FROM reused), 'new ' || i) THEN RAISE 'new % denied', i; END IF;
			END LOOP;
		END \$\$; SELECT 'right'}),
	'right', 'truncated within a statement');
$_->() for $reader, $writer;
ask($node, q{ROLLBACK PREPARED 'oldest'}, 'elsewhere');

$node->stop;
done_testing();
