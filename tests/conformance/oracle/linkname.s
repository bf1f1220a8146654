// Empty: functions whose body is elsewhere (go:linkname) may be declared in a package that has an assembly file.
