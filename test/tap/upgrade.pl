# Later versions: an updated extension is the same as one installed anew, stored
# sketches of all versions are read, and pg_upgrade leaves every byte as it is.

use strict;
use warnings;

use BloomsketchServer;
use File::Basename;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use SketchImages;
use Test::More;

# Scripts of made-up versions lie beside the real ones for a moment.
my ($extensions) = run_command([ 'pg_config', '--sharedir' ]);
$extensions .= '/extension';
sub remove_scripts { return unlink glob "$extensions/bloomsketch--0.?test*.sql" }
END { remove_scripts() }
remove_scripts();

my $node = start_server('upgrade');
my $default = ask($node, q{SELECT default_version FROM pg_available_extensions WHERE name = 'bloomsketch'});

# ---------------------------------------------------------------------------
# ALTER EXTENSION ... UPDATE

# All that a database with nothing but the extension holds, as the statements
# that pg_upgrade would make it with, which name every member with its
# properties. OIDs are left out; the order is that of the names.
sub catalog_of
{
	my ($database) = @_;
	my ($dump, $err) = run_command([ 'pg_dump', '--schema-only', '--binary-upgrade', '-d', $node->connstr($database) ]);
	die "pg_dump: $err" if $err =~ /error/;
	$dump =~ s/^-- For binary upgrade.*\n(SELECT .*binary_upgrade_set_next.*\n)+//gm;
	$dump =~ s/^\\(un)?restrict.*\n//gm;
	return join '', sort split /^(?=--\n-- Name:)/m, $dump;
}

my $databases = 0;

# A database with the extension in this version, updated to the default one.
sub updated_from
{
	my ($version) = @_;
	my $database = 'updated_' . ++$databases;
	ask($node, "CREATE DATABASE $database TEMPLATE template0");
	ask($node, "CREATE EXTENSION bloomsketch VERSION '$version'; ALTER EXTENSION bloomsketch UPDATE", $database);
	return $database;
}

my $fresh = updated_from($default);
my $expected = catalog_of($fresh);
like($expected, qr/CREATE FUNCTION public\.hll_reduce\(.*CREATE OPERATOR public\.\|\| \(/s, 'the catalog is seen');
cmp_ok(scalar(() = $expected =~ /^ALTER EXTENSION bloomsketch ADD /gm),
	'==', ask($node, q{SELECT count(*) - count(*) FILTER (WHERE objid IN (SELECT typarray FROM pg_type))
		FROM pg_depend WHERE deptype = 'e' AND refobjid = (SELECT oid FROM pg_extension WHERE extname = 'bloomsketch')}),
	'all members are seen');

my @older = split /\n/, ask($node, q{SELECT version FROM pg_available_extension_versions
	WHERE name = 'bloomsketch' AND version <> '} . $default . q{' ORDER BY version COLLATE "C"});
for my $version (@older)
{
	is(catalog_of(updated_from($version)), $expected, "updated from $version: the same as $default installed anew");
}
is( ask($node, q{SELECT string_agg(source, ' ' ORDER BY source COLLATE "C")
		FROM pg_extension_update_paths('bloomsketch') WHERE path IS NOT NULL AND target = '} . $default . q{'}),
	join(' ', @older), 'versions that can be updated are those with an install script');

# A version 0.9 without hll_reduce, with an update script that is right and one
# that forgets something, to see that the comparison holds and that it bites.
sub make_script
{
	my ($versions, $text) = @_;
	append_to_file("$extensions/bloomsketch--$versions.sql", $text);
	return;
}

SKIP:
{
	# It puts scripts beside those that are installed.
	skip 'only in a private PostgreSQL, as make test has it', 4 if !$ENV{BLOOMSKETCH_PRIVATE};
	my $script = slurp_file("$extensions/bloomsketch--$default.sql");
	my @statements = $script =~ /^((?:CREATE|COMMENT ON) FUNCTION hll_reduce\(.*?;\n)/gms;
	is(scalar(@statements), 2, 'hll_reduce is made and commented on');
	$script =~ s/\Q$_\E// for @statements;
	for my $case ([ '0.9test', @statements ], [ '0.8test', $statements[0] ])
	{
		my ($version, @added) = @$case;
		make_script($version, $script);
		make_script("$version--$default", join '', @added);
	}
	my $updated = updated_from('0.9test');
	is(catalog_of($updated), $expected, 'a right update script');
	isnt(catalog_of(updated_from('0.8test')), $expected, 'an update script that forgets a comment');
	is( ask($node, "SELECT path FROM pg_extension_update_paths('bloomsketch')
			WHERE source = '0.9test' AND target = '$default'"),
		"0.9test--$default", 'update path');
}

# The comparison sees each of these.
my $before = $expected;
for my $change (
	'ALTER FUNCTION hll_reduce(hll, integer) VOLATILE',
	'ALTER FUNCTION hll_count(hll) PARALLEL RESTRICTED',
	'ALTER FUNCTION hll_union(hll, hll) CALLED ON NULL INPUT',
	'COMMENT ON AGGREGATE hll_union(hll) IS NULL',
	q{COMMENT ON TYPE hll IS 'something else'},
	'REVOKE EXECUTE ON FUNCTION hll_count(hll) FROM PUBLIC',
	'ALTER EXTENSION bloomsketch DROP FUNCTION hll_reduce(hll, integer)',
	'DROP FUNCTION hll_reduce(hll, integer)',
	'ALTER TYPE hll SET (STORAGE = extended)',
	q{UPDATE pg_aggregate SET aggminvtransfn = 'cms_frame_step(internal,cms)'::regprocedure
		WHERE aggfnoid = 'cms_union(cms)'::regprocedure},
	'COMMENT ON FUNCTION cms_frame_final(internal) IS NULL',
	'ALTER OPERATOR = (hll, hll) SET (RESTRICT = NONE)',
	q{UPDATE pg_operator SET oprcom = 0 WHERE oid = '||(hll,hll)'::regoperator},
	q{UPDATE pg_aggregate SET aggtransspace = 1 WHERE aggfnoid = 'hll_union(hll)'::regprocedure},
	q{UPDATE pg_aggregate SET aggcombinefn = 0 WHERE aggfnoid = 'hll_agg(text)'::regprocedure},
	q{UPDATE pg_proc SET proparallel = 'u' WHERE oid = 'hll_agg(uuid)'::regprocedure},
	q{UPDATE pg_cast SET castcontext = 'i' WHERE castsource = 'hll'::regtype AND casttarget = 'bytea'::regtype},
	q{UPDATE pg_proc SET probin = '$libdir/other' WHERE oid = 'hll_in(cstring)'::regprocedure},
	q{UPDATE pg_opclass SET opcdefault = false WHERE opcintype = 'hll'::regtype},
	q{UPDATE pg_extension SET extrelocatable = false WHERE extname = 'bloomsketch'})
{
	ask($node, $change, $fresh);
	my $after = catalog_of($fresh);
	isnt($after, $before, "a difference is seen: $change");
	$before = $after;
}

# ---------------------------------------------------------------------------
# Sketches stored by this and by older versions (test/data)

prepare_images($node, 'postgres');
my @types = sketch_types($node, 'postgres');
is_deeply(\@types, [ 'bloom', 'cms', 'counting_bloom', 'cuckoo', 'hll', 'topk' ], 'types with stored images');
for my $type (@types)
{
	my @images = images_of($type);
	my %forms = map { $_->{form} => 1 } @images;
	is(join(', ', sort keys %forms), $type =~ /^(?:topk|cuckoo)$/ ? 'at rest' : 'at rest, working', "$type: forms with stored images");
	my $as_made_here = "${PostgreSQL::Test::Utils::tmp_check}/${type}_images.txt";
	unlink $as_made_here;
	for my $image (@images)
	{
		my ($bytes, $name) = ($image->{image}, "$type, $image->{form}, $image->{name}");
		my $made = $image->{made_by} ne '' ? line_of($node, $type, $image, 'postgres') : undef;
		append_to_file($as_made_here, "$made\n") if defined $made;
		my $stored = $image->{form} eq 'working' ? ask($node, "SELECT $image->{made_by}") : $bytes;
		my ($status, $read, $err) = $node->psql('postgres',
			"SELECT '$bytes'::$type; SELECT '$bytes'::bytea::$type; SELECT " . answers_for($type, "'$bytes'::$type"));
		is("$read$err", "$stored\n$stored\n$image->{answers}", "read: $name");
		# The layout of a working form may change, as long as this one is read.
		next if !defined $made || $image->{form} eq 'working';
		is($made, join("\t", @$image{qw(name form made_by image answers)}), "made: $name");
	}
}

# ---------------------------------------------------------------------------
# pg_upgrade between this server and another major that has the extension

# Where another server may be: beside this one, as Debian has them.
sub other_installations
{
	my ($here) = run_command([ 'pg_config', '--bindir' ]);
	return grep { -x "$_/bin/initdb" && -x "$_/bin/pg_upgrade" && "$_/bin" ne $here } glob(dirname(dirname($here)) . '/*');
}

sub major
{
	my ($program) = run_command([ "$_[0]/bin/postgres", '--version' ]);
	return $program =~ /\) (\d+)/ ? $1 : die "no version in $program";
}

sub answers_of
{
	my ($cluster) = @_;
	return join "\n", map { $cluster->safe_psql('postgres', 'SELECT name, h, ' . answers_for($_, 's.h')
			  . " FROM stored_$_ s ORDER BY name COLLATE \"C\"") } @types;
}

sub upgrade_between
{
	my ($old_home, $new_home) = sort { major($a) <=> major($b) } @_;
	my $name = 'pg_upgrade from ' . major($old_home) . ' to ' . major($new_home);
	my $old = PostgreSQL::Test::Cluster->new('old', install_path => $old_home);
	my $new = PostgreSQL::Test::Cluster->new('new', install_path => $new_home);
	my @like_old = major($old_home) < 18 && major($new_home) >= 18 ? '--no-data-checksums' : ();
	$old->init(extra => [ '--encoding=UTF8', '--locale=C' ]);
	$new->init(extra => [ '--encoding=UTF8', '--locale=C', @like_old ]);
	$old->start;
	die "$old_home does not have the extension" if !available($old, 'bloomsketch');
	ask($old, 'CREATE EXTENSION bloomsketch');
	my $count = 0;
	$count += store_images($old, "stored_$_", 'postgres', $_) for @types;
	ask($old, "CREATE INDEX ON stored_$_ USING hash (h)") for @types;
	ask($old, q{CREATE VIEW counts AS SELECT name, hll_count(h) FROM stored_hll
		UNION ALL SELECT name, bloom_count(h) FROM stored_bloom UNION ALL SELECT name, cms_total(h) FROM stored_cms
		UNION ALL SELECT name, (counting_bloom_info(h)).items FROM stored_counting_bloom
		UNION ALL SELECT name, (cuckoo_info(h)).items FROM stored_cuckoo
		UNION ALL SELECT name, (topk_info(h)).total FROM stored_topk});
	my $before = answers_of($old);
	$old->stop;
	chdir $PostgreSQL::Test::Utils::tmp_check or die "chdir: $!";
	ok($new->run_log([ 'pg_upgrade', '--no-sync', '-d', $old->data_dir, '-D', $new->data_dir, '-b', "$old_home/bin",
			'-B', "$new_home/bin", '-s', $new->host, '-p', $old->port, '-P', $new->port ]), $name)
	  or return diag(map { grep { /^pg_restore: error/ } split /^/m, slurp_file($_) }
		  glob $new->data_dir . '/pg_upgrade_output.d/*/log/pg_upgrade_dump_*.log');
	$new->start;
	is(scalar(split /\n/, $before), $count, "$name: stored sketches");
	is(answers_of($new), $before, "$name: the same bytes and answers");
	is($new->safe_psql('postgres', 'SELECT count(*) FROM counts'), $count, "$name: a view over sketches");
	is( $new->safe_psql('postgres', q{SET enable_seqscan = off; SELECT name FROM (SELECT name FROM stored_hll
			WHERE h = (SELECT hll_agg(n, 18) FROM generate_series(1, 100000) n)
			UNION ALL SELECT name FROM stored_bloom WHERE h = (SELECT bloom_agg(n, 1000000, 0.01) FROM generate_series(1, 100000) n)
			UNION ALL SELECT name FROM stored_counting_bloom WHERE h = (SELECT counting_bloom_agg(n, 1000000, 0.01) FROM generate_series(1, 100000) n)
			UNION ALL SELECT name FROM stored_cuckoo WHERE h = (SELECT cuckoo_agg(n, 1000000, 0.01) FROM generate_series(1, 100000) n)
			UNION ALL SELECT name FROM stored_cms WHERE h = (SELECT cms_agg(n, 1, 0.0001, 0.01) FROM generate_series(1, 100000) n)
			UNION ALL SELECT name FROM stored_topk WHERE h = (SELECT topk_agg(n, 10000) FROM generate_series(1, 100000) n)) found
			ORDER BY name COLLATE "C"}),
		"1.2 MB\n1.3 MB\n1.4 MB\n100,000 counters\n27183 x 5\ndense, precision 18", "$name: found through indexes by sketches made anew");
	is( $new->safe_psql('postgres', q{SELECT count(*) FILTER (WHERE NOT bloom_contains((SELECT h FROM stored_bloom WHERE name = '1.2 MB'), n)),
			(SELECT bloom_contains(h, 5) AND NOT bloom_contains(h, -5) FROM stored_bloom WHERE name = '1.2 MB') FROM generate_series(1, 100000) n}),
		'0|t', "$name: looked up in a filter, by slices and whole");
	return;
}

SKIP:
{
	my ($other) = other_installations();
	die 'no other major with the extension is here' if !defined $other && ($ENV{PG_TEST_EXTRA} // '') =~ /upgrade/;
	skip 'no other major with the extension is here', 6 if !defined $other;
	my ($here) = run_command([ 'pg_config', '--bindir' ]);
	upgrade_between(dirname($here), $other);
}

done_testing();
