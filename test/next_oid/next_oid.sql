-- The function of next_oid.c. The psql variable `module` is the module's path
-- without its suffix; only a superuser may load it from there.

CREATE FUNCTION set_next_oid(oid) RETURNS void
	AS :'module', 'set_next_oid' LANGUAGE C STRICT;
