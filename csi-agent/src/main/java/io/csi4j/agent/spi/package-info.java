/**
 * The interfaces that a host implements for agents, and the values that they use.
 *
 * <pre>{@code
 * NodeDirectory directory = NodeDirectory.of(Map.of(NodeId.of("node-1"), NodeRoute.direct(agent)));
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.agent.spi;

import org.jspecify.annotations.NullMarked;
