/**
 * The command log in the database of the host: PostgreSQL 13 and newer, or an embedded H2.
 *
 * <p>{@link io.csi4j.replication.jdbc.JdbcCommandLog} writes the commands of all servers in one order into tables beside
 * those of the host, and decides which server leads.
 *
 * <pre>{@code
 * CsiServer server = CsiServer.builder(JdbcCommandLog.builder(dataSource)
 *                 .server("server-1")
 *                 .createTables()
 *                 .secretsCipher(cipher))
 *         .agents(nodeDirectory, gateway -> gateway)
 *         .agentServer(endpoint -> endpoint.listen(address))
 *         .build();
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.replication.jdbc;

import org.jspecify.annotations.NullMarked;
