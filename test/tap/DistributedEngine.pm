# What distributed.pl needs of test/distributed: the module built and loaded,
# and queries that let its workers and its coordinator do an aggregate's work.
package DistributedEngine;

use strict;
use warnings;

use BloomsketchServer;
use Exporter 'import';
use TestModule;

our @EXPORT = qw(load_engine workers_and_coordinator);

# Declares the aggregates of the module.
sub load_engine
{
	my ($node) = @_;
	load_module($node, 'distributed');
	return;
}

# The query for an aggregate's result from partial results: one worker for each
# number in $workers, which gets the rows of `visits` that $rows leaves and
# that have its number as `shard`. $transport is text or binary; $by names the
# column to group by, if any.
sub workers_and_coordinator
{
	my ($aggregate, $transport, $workers, $rows, $by) = @_;
	my $arguments = join ', ', @{ $aggregate->{arguments} };
	$arguments = "ROW($arguments)" if @{ $aggregate->{arguments} } > 1;
	my $oid = "'$aggregate->{signature}'::regprocedure";
	my ($keys, $group) = defined $by ? ("$by AS k, ", "GROUP BY $by") : ('', '');
	my ($outer_keys, $outer_group) = defined $by ? ('k, ', 'GROUP BY k') : ('', '');
	return "SELECT ${outer_keys}combine($oid, state, NULL::$aggregate->{result}) AS r FROM ($workers) workers (worker), "
	  . "LATERAL (SELECT ${keys}worker_$transport($oid, $arguments) AS state FROM visits "
	  . "WHERE shard = worker AND $rows $group) sent $outer_group";
}

1;
