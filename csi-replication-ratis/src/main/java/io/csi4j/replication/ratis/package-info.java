/**
 * The command log on Apache Ratis, durable on one machine and replicated on several.
 *
 * <p>{@link io.csi4j.replication.ratis.RatisCommandLog} is for a {@code CsiServer} of csi-server, or for programs that
 * build an engine of their own. A command has its outcome after a majority of the peers has flushed it to disk; the engine
 * of one peer acts at a time.
 *
 * <pre>{@code
 * try (RatisCommandLog log = RatisCommandLog.builder(directory).start();
 *         VolumeLifecycle lifecycle = VolumeLifecycle.of(log, gateway)) {
 *     lifecycle.cluster().nodeReady(node).join();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.replication.ratis;

import org.jspecify.annotations.NullMarked;
