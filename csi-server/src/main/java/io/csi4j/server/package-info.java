/**
 * A ready-made server on any {@linkplain io.csi4j.core.spi.ReplicatedLog replicated log}: the engine, and either the plugins
 * and volumes of this machine or an endpoint for the agents of other machines.
 *
 * <p>{@link io.csi4j.server.CsiServer} starts and closes the parts in the right order. Its engine acts while the server
 * leads, as the log says.
 *
 * <pre>{@code
 * Path directory = Path.of("/var/lib/scheduler");
 * try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
 *         .node(NodeId.of("local"), directory.resolve("node"))
 *         .build()) {
 *     server.lifecycle().volumes().register(key, spec).join();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.server;

import org.jspecify.annotations.NullMarked;
