# What the TAP tests share: a throw-away server that has the extension, and
# checks on query plans.
package BloomsketchServer;

use strict;
use warnings;

use Exporter 'import';
use FindBin;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

our @EXPORT = qw(start_server ask fails_with available source_root slurp_if_there plan_of pages_read md5_of);

# A running server in UTF-8; @settings are lines of postgresql.conf.
sub start_server
{
	my ($name, @settings) = @_;
	my $node = PostgreSQL::Test::Cluster->new($name);
	$node->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
	$node->append_conf('postgresql.conf', "$_\n") for 'log_statement = none', @settings;
	$node->start;
	$node->safe_psql('postgres', 'CREATE EXTENSION bloomsketch');
	return $node;
}

# What the statements print, in one session; `SET` prints nothing.
sub ask
{
	my ($node, $sql, $database) = @_;
	return $node->safe_psql($database // 'postgres', $sql);
}

# The last statement must fail with this SQLSTATE and a message like that.
sub fails_with
{
	my ($node, $sql, $state, $message, $name, $database) = @_;
	my ($status, $out, $err) =
	  $node->psql($database // 'postgres', "\\set VERBOSITY verbose\n$sql");
	like($err, qr/ERROR:  \Q$state\E: .*$message/s, $name) or diag("exit $status, printed: $out");
	return;
}

# Whether the server could install this extension.
sub available
{
	my ($node, $extension) = @_;
	return ask($node, "SELECT count(*) FROM pg_available_extensions WHERE name = '$extension'") == 1;
}

sub source_root
{
	return "$FindBin::RealBin/../..";
}

sub slurp_if_there
{
	my ($file) = @_;
	return -e $file ? slurp_file($file) : undef;
}

# The plan as text, after having run it once.
sub plan_of
{
	my ($node, $settings, $query) = @_;
	return ask($node, "$settings; EXPLAIN (ANALYZE, VERBOSE, TIMING OFF) $query");
}

# How many pages a query reads. Its second run counts, for the first one fills the
# session's caches.
sub pages_read
{
	my ($node, $query) = @_;
	my $plan = ask($node, "PREPARE q AS $query; EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE q; "
		  . 'EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) EXECUTE q');
	my (undef, $second) = split /^Execution Time:.*\n/m, $plan;
	my ($hit, $read) = $second =~ /Buffers: shared(?: hit=(\d+))?(?: read=(\d+))?/ or die $plan;
	return ($hit // 0) + ($read // 0);
}

# One digest over all rows of a query with the columns `k` and `h`, so that
# the bytes of many sketches are compared at once.
sub md5_of
{
	my ($query) = @_;
	return "SELECT count(*) || ' ' || md5(string_agg(k::text || ' ' || h::bytea::text, ',' ORDER BY k::text)) "
	  . "FROM ($query) rows";
}

1;
