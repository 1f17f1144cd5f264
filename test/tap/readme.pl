# The SQL in README.md and docs/*.md runs, and prints what the text says.
#
# Blocks fenced as ```sql are executed in order, each file in one session and a
# fresh database. A ```text block right behind one is the exact output of psql for
# its last statement; if that begins with ERROR, the statement must fail so. A
# block whose first line is `-- not run` is not run.

use strict;
use warnings;

use BloomsketchServer;
use IPC::Run;
use PostgreSQL::Test::Utils;
use Test::More;

# ```sql blocks as {line, statements, expected}.
sub sql_blocks
{
	my ($markdown) = @_;
	my (@blocks, $fence, $language, @body);
	my $line = 0;
	my $before = '';    # what stands between this block and the one before
	for (split /\n/, $markdown)
	{
		++$line;
		if (defined $fence)
		{
			if (!/^\s*\Q$fence\E\s*$/) { push @body, $_; next; }
			my $body = join '', map { "$_\n" } @body;
			if ($language eq 'sql')
			{
				push @blocks, { line => $line - @body, statements => [ statements($body) ] };
				$blocks[-1]{skipped} = 1 if $body =~ /^-- not run/;
			}
			elsif ($language eq 'text' && @blocks && $before eq 'sql')
			{
				$blocks[-1]{expected} = $body;
			}
			$before = $language;
			undef $fence;
		}
		elsif (/^\s*(```+)(\w*)\s*$/)
		{
			($fence, $language, @body) = ($1, $2);
		}
		elsif (/\S/)
		{
			$before = '';
		}
	}
	return @blocks;
}

# Splits at semicolons that are in no quotes or comments, and takes lines of psql's
# own commands whole.
sub statements
{
	my ($sql) = @_;
	my @found;
	while ($sql =~ /\G\s*(\\[^\n]*|(?:--[^\n]*(?:\n|\z)|\/\*.*?\*\/|'(?:[^']|'')*'|"[^"]*"|(\$\w*\$).*?\2|[^;])+;?)/gs)
	{
		my $statement = $1;
		push @found, $statement if $statement =~ s/^(?:\s*--[^\n]*\n)+//r =~ /\S/;
	}
	return @found;
}

# Runs statements in one psql session: [output, errors] for each. Marks in both
# streams say where one ends.
sub run_statements
{
	my ($node, $database, @statements) = @_;
	my $mark = '-- end of a statement --';
	my $input = join '', map { "$_\n\\echo $mark\n\\warn $mark\n" } @statements;
	my ($out, $err) = ('', '');
	IPC::Run::run([ 'psql', '-X', '-d', $node->connstr($database) ], '<', \$input, '>', \$out, '2>', \$err);
	my @out = split /^\Q$mark\E\n/m, $out, -1;
	my @err = split /^\Q$mark\E\n/m, $err, -1;
	return map { [ $out[$_] // 'the session has ended', $err[$_] // '' ] } 0 .. $#statements;
}

# Blanks at the ends of lines are lost in editors; psql adds an empty line.
sub tidy
{
	my ($text) = @_;
	return $text =~ s/[ \t]+$//gmr =~ s/\n*\z/\n/r =~ s/^psql:[^\n]*?: (?=ERROR|HINT|DETAIL)//gmr;
}

# What is wrong in the text, as one line for each complaint.
sub complaints
{
	my ($node, $database, $markdown) = @_;
	my @blocks = grep { !$_->{skipped} } sql_blocks($markdown);
	my @results = run_statements($node, $database, map { @{ $_->{statements} } } @blocks);
	my @complaints;
	for my $block (@blocks)
	{
		my $count = @{ $block->{statements} };
		push @complaints, "line $block->{line}: no statement" if !$count;
		for my $number (1 .. $count)
		{
			my ($out, $err) = @{ shift @results };
			my $expected = $number == $count ? $block->{expected} : undef;
			my $must_fail = ($expected // '') =~ /^ERROR/;
			push @complaints, "line $block->{line}, statement $number: $err"
			  if $err =~ /ERROR|FATAL|invalid command/ && !$must_fail;
			next if !defined $expected;
			my $printed = tidy($must_fail ? $err : $out);
			push @complaints, "line $block->{line}, statement $number prints:\n$printed" if $printed ne tidy($expected);
		}
	}
	return @complaints;
}

my $node = start_server('readme');
$node->safe_psql('postgres', 'CREATE DATABASE sample');

# ---------------------------------------------------------------------------
# The test itself: it takes what is right, and sees what is wrong.

my $sample = <<'END';
```sql
CREATE TABLE t (a int, b text);  -- one; comment
INSERT INTO t VALUES (1, 'a;b'), (2, $$c;d$$);
SELECT * FROM t;
```

```text
 a |  b
---+-----
 1 | a;b
 2 | c;d
(2 rows)
```
```sql
-- not run
SELECT 1 / 0;
```
```sql
SELECT 1 / 0;
```
```text
ERROR:  division by zero
```
END
is_deeply([ complaints($node, 'sample', $sample) ], [], 'a right sample passes');
my %wrong = (
	'output' => [ qr/a;b\n 2/, "a;b\n 3" ],
	'number of rows' => [ qr/\(2 rows\)/, '(3 rows)' ],
	'error' => [ qr/by zero/, 'by one' ],
	'failing statement' => [ qr/SELECT \* FROM t;/, 'SELECT * FROM u;' ],
	'unexpected error' => [ qr/```text\nERROR.*/s, '' ],
	'fence' => [ qr/-- not run\n/, '' ]);
for my $what (sort keys %wrong)
{
	my ($pattern, $replacement) = @{ $wrong{$what} };
	my $broken = $sample =~ s/$pattern/$replacement/r;
	isnt($broken, $sample, "a sample is broken: $what");
	isnt(scalar complaints($node, 'sample', "```sql\nDROP TABLE t;\n```\n$broken"), 0, "and does not pass: $what");
}

# ---------------------------------------------------------------------------
# The documentation.

my $root = source_root();
ok(-e "$root/README.md", 'there is a README.md');
my $number = 0;
for my $file ("$root/README.md", sort glob "$root/docs/*.md")
{
	my $markdown = slurp_if_there($file) // next;
	my $name = $file =~ s{^\Q$root\E/}{}r;
	my @blocks = grep { !$_->{skipped} } sql_blocks($markdown);
	cmp_ok(scalar @blocks, '>', 0, "$name has SQL") if $name eq 'README.md';
	next if !@blocks;

	my $database = 'file_' . ++$number;
	ask($node, "CREATE DATABASE $database");
	my $creates = grep { /CREATE EXTENSION (?:IF NOT EXISTS )?bloomsketch/i } map { @{ $_->{statements} } } @blocks;
	ask($node, 'CREATE EXTENSION bloomsketch', $database) if !$creates;
	my @complaints = complaints($node, $database, $markdown);
	ok(!@complaints, sprintf '%s: %d blocks run, %d with their output', $name, scalar @blocks,
		scalar grep { defined $_->{expected} } @blocks)
	  or diag(join "\n", @complaints);
}

$node->stop;
done_testing();
