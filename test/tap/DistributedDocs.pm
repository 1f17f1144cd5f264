# Examples of docs/*.md that need several servers or sessions. A comment above a
# block says which test runs it, and where: <!-- fdw: coordinator -->.
package DistributedDocs;

use strict;
use warnings;

use BloomsketchServer;
use Exporter 'import';
use PostgreSQL::Test::Utils;

our @EXPORT = qw(examples_for printed);

# The blocks for a test, in order: where to run it, the statements, and what is
# printed according to the block behind it, if there is one.
sub examples_for
{
	my ($test, $file) = @_;
	my $text = slurp_file(source_root() . '/docs/' . ($file // 'DISTRIBUTED.md'));
	my @examples;
	while ($text =~ /^<!-- \Q$test\E: (\w+) -->\n(?:```sql\n(?:-- not run\n)?(.*?)^```\n(?:```text\n(.*?)^```\n)?)?/gms)
	{
		die "no example behind <!-- $test: $1 -->\n" if !defined $2;
		push @examples, { where => $1, sql => $2, printed => defined $3 ? without_blanks($3) : undef };
	}
	die "no examples for $test\n" if !@examples;
	return @examples;
}

# What psql prints with its usual format, without blanks at the ends of lines.
sub printed
{
	my ($node, $sql, $database) = @_;
	my $text = ask($node, "\\pset format aligned\n\\pset tuples_only off\n$sql", $database);
	return without_blanks($text);
}

sub without_blanks
{
	my ($text) = @_;
	$text =~ s/[ ]+$//gm;
	$text =~ s/\n+\z//;
	return $text;
}

1;
