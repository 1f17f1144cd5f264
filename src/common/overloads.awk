# Concatenates the install script's fragments. Lines between `--{ LIST` and `--}`
# stand once for each type of the list, with @T@ replaced by it.
#
# A distributed engine compares declared argument types, so aggregates have
# overloads for the types most in use (AGGREGATE); a form with a seed and the
# scalar functions need only SCALAR. Adding a type to a list may make calls
# ambiguous: sql/overloads.sql tries every hashable type.

BEGIN {
	types["AGGREGATE"] = "smallint,integer,bigint,text,bytea,uuid,numeric,date,timestamp,timestamptz,\"char\",anyelement"
	types["SCALAR"] = "text,\"char\",anyelement"
}

/^--{ / {
	list = $2
	body = ""
	if (!(list in types)) {
		print FILENAME ":" FNR ": unknown list " list > "/dev/stderr"
		exit 1
	}
	next
}

/^--}/ {
	count = split(types[list], each, ",")
	for (i = 1; i <= count; ++i) {
		expanded = body
		gsub(/@T@/, each[i], expanded)
		printf "%s", expanded
	}
	list = ""
	next
}

list != "" { body = body $0 "\n"; next }

{ print }
