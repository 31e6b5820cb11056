/**
 * AssertJ assertions about fake plugins and their histories. A failing assertion shows the history as a table.
 *
 * <pre>{@code
 * assertThat(plugin).published("vol-1").onNode("node-1");
 * assertThat(plugin).hasNoLeaks().sawNoConcurrentCallsPerVolume();
 * assertThat(plugin.history().ofVolume("vol-1")).sawInOrder(Rpc.CREATE_VOLUME, Rpc.CONTROLLER_PUBLISH_VOLUME);
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.assertion;

import org.jspecify.annotations.NullMarked;
