# docs/MIGRATING.md: what it gives for each command of Redis runs, in its order, and
# changes or answers something; all commands are there; and both extensions with a type
# hll work side by side.

use strict;
use warnings;

use BloomsketchServer;
use DistributedDocs;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('migrating');
my $text = slurp_file(source_root() . '/docs/MIGRATING.md');

# ---------------------------------------------------------------------------
# Redis. All commands of its five families, but those for debugging.

my @commands = qw(PFADD PFCOUNT PFMERGE
	BF.ADD BF.CARD BF.EXISTS BF.INFO BF.INSERT BF.LOADCHUNK BF.MADD BF.MEXISTS BF.RESERVE BF.SCANDUMP
	CF.ADD CF.ADDNX CF.COUNT CF.DEL CF.EXISTS CF.INFO CF.INSERT CF.INSERTNX CF.LOADCHUNK CF.MEXISTS CF.RESERVE CF.SCANDUMP
	CMS.INCRBY CMS.INFO CMS.INITBYDIM CMS.INITBYPROB CMS.MERGE CMS.QUERY
	TOPK.ADD TOPK.COUNT TOPK.INCRBY TOPK.INFO TOPK.LIST TOPK.QUERY TOPK.RESERVE);

# What shows that the statement did what the command does, for those that change something.
my %then = (
	PFADD => q{hll_count(h) = 2 FROM visitors WHERE key = 'k'},
	PFMERGE => q{hll_count(h) = 2 FROM visitors WHERE key = 'k'},
	'BF.RESERVE' => q{bloom_count(f) = 0 FROM seen WHERE key = 'k'},
	'BF.ADD' => q{bloom_contains(f, 'a') FROM seen WHERE key = 'k'},
	'BF.MADD' => q{bloom_contains(f, 'b') FROM seen WHERE key = 'k'},
	'BF.INSERT' => q{bloom_count(f) = 2 FROM seen WHERE key = 'k'},
	'BF.LOADCHUNK' => q{bloom_count(f) = 0 FROM seen WHERE key = 'k'},
	'CF.RESERVE' => q{(cuckoo_info(f)).items = 0 FROM members WHERE key = 'k'},
	'CF.ADD' => q{cuckoo_count(f, 'a') = 1 FROM members WHERE key = 'k'},
	'CF.ADDNX' => q{cuckoo_count(f, 'a') = 1 FROM members WHERE key = 'k'},
	'CF.INSERT' => q{cuckoo_count(f, 'a') = 2 AND cuckoo_count(f, 'b') = 1 FROM members WHERE key = 'k'},
	'CF.INSERTNX' => q{cuckoo_count(f, 'b') = 1 AND cuckoo_count(f, 'c') = 1 FROM members WHERE key = 'k'},
	'CF.DEL' => q{cuckoo_count(f, 'a') = 1 FROM members WHERE key = 'k'},
	'CF.LOADCHUNK' => q{(cuckoo_info(f)).items = 0 FROM members WHERE key = 'k'},
	'CMS.INITBYDIM' => q{(cms_info(c)).width = 2000 AND (cms_info(c)).depth = 5 FROM hits WHERE key = 'k'},
	'CMS.INITBYPROB' => q{(cms_info(c)).epsilon = 0.001 FROM hits WHERE key = 'other'},
	'CMS.INCRBY' => q{cms_count(c, 'a') = 5 FROM hits WHERE key = 'other'},
	'CMS.MERGE' => q{cms_count(c, 'a') = 5 FROM hits WHERE key = 'other'},
	'TOPK.RESERVE' => q{(topk_info(t)).k = 10 FROM leaders WHERE key = 'k'},
	'TOPK.ADD' => q{topk_count(t, 'a') = 1 FROM leaders WHERE key = 'k'},
	'TOPK.INCRBY' => q{topk_count(t, 'a') = 6 FROM leaders WHERE key = 'k'},
);

# Rows of the tables below "From Redis": a command, and a statement.
my ($redis) = $text =~ /^## From Redis\n(.*)/ms;
my @rows = $redis =~ /^\| `((?:[A-Z]+\.)?[A-Z]+)\b[^`]*` \| `([^`]+)` \|$/mg;
my %known;
my %sql_of = map { $_->{where} => $_ } examples_for('migrating', 'MIGRATING.md');
ask($node, $sql_of{setup}{sql});
while (my ($command, $statement) = splice @rows, 0, 2)
{
	$statement =~ s/\\\|/|/g;
	$known{$command} = 1;
	my $is_question = $statement =~ /^SELECT/;
	my $rows = ask($node, $is_question ? "SELECT count(*) > 0 FROM ($statement) AS answer"
		: "WITH changed AS ($statement RETURNING 1) SELECT count(*) < 3 FROM changed");
	my $is_right = $is_question ? 't' : ask($node, "SELECT " . ($then{$command} // 'NULL'));
	is("$rows $is_right", 't t', "$command: $statement");
}
is_deeply([ sort keys %known ], [ sort @commands ], 'all commands are in the tables');

# ---------------------------------------------------------------------------
# Beside postgresql-hll.

SKIP:
{
	skip 'no other extension named hll here', 1 if !available($node, 'hll');
	ask($node, 'CREATE DATABASE beside');
	ask($node, 'CREATE EXTENSION hll; CREATE SCHEMA sketch; CREATE EXTENSION bloomsketch SCHEMA sketch', 'beside');
	is(printed($node, $sql_of{beside}{sql}, 'beside'), $sql_of{beside}{printed}, 'both side by side');
}

done_testing();
