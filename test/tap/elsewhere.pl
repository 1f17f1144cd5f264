# An extension that is not in the server's own folders: since 18,
# extension_control_path and dynamic_library_path find it anywhere.

use strict;
use warnings;

use BloomsketchServer;
use File::Copy qw(copy);
use PostgreSQL::Test::Utils;
use Test::More;

my $node = start_server('elsewhere');
plan skip_all => 'extension_control_path is there since 18' if $node->pg_version < 18;

# A copy under another version, so that the server's own can't be taken for it.
my $folder = PostgreSQL::Test::Utils::tempdir;
mkdir "$folder/$_" or die "mkdir: $!" for qw(extension lib);
my ($share) = run_command([ 'pg_config', '--sharedir' ]);
my ($library) = run_command([ 'pg_config', '--pkglibdir' ]);
my $control = slurp_file("$share/extension/bloomsketch.control");
my ($version) = $control =~ /^default_version = '(.*)'$/m;
$control =~ s/^(default_version = ').*'$/$1elsewhere'/m;
append_to_file("$folder/extension/bloomsketch.control", $control);
copy("$share/extension/bloomsketch--$version.sql", "$folder/extension/bloomsketch--elsewhere.sql") or die "copy: $!";
copy("$library/bloomsketch.so", "$folder/lib/") or die "copy: $!";

$node->append_conf('postgresql.conf',
	"extension_control_path = '$folder:\$system'\ndynamic_library_path = '$folder/lib:\$libdir'");
$node->restart;
ask($node, 'DROP EXTENSION IF EXISTS bloomsketch; CREATE EXTENSION bloomsketch');
is(ask($node, q{SELECT extversion FROM pg_extension WHERE extname = 'bloomsketch'}),
	'elsewhere', 'the control file is found there');
is( ask($node, q{SELECT hll_count(hll_agg(i)) FROM generate_series(1, 1000) i;
		SELECT version FROM pg_get_loaded_modules() WHERE module_name = 'bloomsketch'}),
	"1000\n$version", 'the library works, and says name and version');
like(ask($node, q{LOAD 'bloomsketch'; SELECT pg_read_file('/proc/self/maps')}), qr{\Q$folder\E/lib/bloomsketch\.so},
	'the library is loaded from there')
  if -e '/proc/self/maps';

done_testing();
