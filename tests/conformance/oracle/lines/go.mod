module kubetaint/oracle/lines

go 1.21
