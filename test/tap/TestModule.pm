# The modules in C that tests need in the server, one in a folder of test/ each.
package TestModule;

use strict;
use warnings;

use BloomsketchServer;
use Exporter 'import';
use File::Copy qw(copy);
use IPC::Run;
use PostgreSQL::Test::Utils;

our @EXPORT = qw(load_module);

# Builds test/$name for the server that pg_config in PATH belongs to, in a
# temporary folder, and declares its functions.
sub load_module
{
	my ($node, $name) = @_;
	my $source = source_root() . "/test/$name";
	my $folder = PostgreSQL::Test::Utils::tempdir;
	# This may run inside a make that was called for something else.
	delete local @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES)};
	copy($_, $folder) or die "cannot copy $_: $!" for glob "'$source'/*";
	my ($out, $err);
	IPC::Run::run([ 'make', '-C', $folder, 'PG_CONFIG=pg_config' ], '>', \$out, '2>', \$err)
	  or die "make failed in test/$name:\n$out$err";
	ask($node, "\\set module '$folder/$name'\n" . slurp_file("$source/$name.sql"));
	return;
}

1;
