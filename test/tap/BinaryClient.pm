# A connection that speaks the protocol itself, for what psql cannot do: send a
# parameter in binary, whatever its bytes, and read the answer in binary.
package BinaryClient;

use strict;
use warnings;

use IO::Socket::UNIX;

# Statements are of one parameter and one row with one column.
sub new
{
	my ($class, $node, $database, $statement) = @_;
	my $path = $node->host . '/.s.PGSQL.' . $node->port;
	my $socket = IO::Socket::UNIX->new(Peer => $path) or die "no connection to $path: $!";
	my $self = bless { socket => $socket }, $class;
	my $user = getpwuid($>);
	my $startup = pack('N (Z*)*', 196608, 'user', $user, 'database', $database, '');
	$self->send_bytes(pack('N', 4 + length $startup) . $startup);
	$self->read_answer;
	$self->send_bytes(message('P', pack('Z* Z* n', '', $statement, 0)) . message('S', ''));
	my $error = $self->read_answer;
	die "cannot prepare \"$statement\": $error" if defined $error;
	return $self;
}

sub message
{
	my ($type, $body) = @_;
	return $type . pack('N', 4 + length $body) . $body;
}

sub send_bytes
{
	my ($self, $bytes) = @_;
	my $sent = 0;
	while ($sent < length $bytes)
	{
		my $count = syswrite($self->{socket}, $bytes, length($bytes) - $sent, $sent);
		die "the server does not listen: $!" unless $count;
		$sent += $count;
	}
	return;
}

sub read_bytes
{
	my ($self, $length) = @_;
	my $bytes = '';
	while (length $bytes < $length)
	{
		read($self->{socket}, $bytes, $length - length $bytes, length $bytes) or die 'the server has hung up';
	}
	return $bytes;
}

# Reads up to ReadyForQuery. The row's value in hex, the SQLSTATE of an error, or
# undef where there was neither.
sub read_answer
{
	my ($self) = @_;
	my $answer;
	while (1)
	{
		my ($type, $length) = unpack 'a N', $self->read_bytes(5);
		my $body = $self->read_bytes($length - 4);
		return $answer if $type eq 'Z';
		$answer = '\x' . unpack('H*', substr($body, 6)) if $type eq 'D';
		($answer) = $body =~ /(?:^|\0)C(\w{5})\0/ if $type eq 'E';
	}
}

# The answers to the statement with each of the parameters.
sub answers
{
	my ($self, @parameters) = @_;
	my @answers;
	while (my @some = splice @parameters, 0, 16)
	{
		$self->send_bytes(join '', map {
			message('B', pack('x x n n n N/a* n n', 1, 1, 1, $_, 1, 1)) . message('E', pack('x N', 0)) . message('S', '')
		} @some);
		push @answers, map { $self->read_answer } @some;
	}
	return @answers;
}

1;
