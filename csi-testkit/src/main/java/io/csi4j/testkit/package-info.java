/**
 * A strict fake CSI plugin, for tests in place of a real one, and for the command line.
 *
 * <p>The plugin refuses a call in the wrong order, a field that a capability does not allow, a second call while one is pending, and a changed argument in a repeated call,
 * with CSI's status code and a message that names the remedy. So a caller that works with this plugin follows the rules of CSI.
 *
 * <p>{@link io.csi4j.testkit.FakeCsiPlugin} runs in this process, {@link io.csi4j.testkit.FakePluginProcess} in its own; the plugins of several nodes share a {@link
 * io.csi4j.testkit.FakeStorage}.
 *
 * <pre>{@code
 * FakeStorage storage = FakeStorage.inMemory();
 * try (FakeCsiPlugin one = FakeCsiPlugin.builder().storage(storage).nodeId("node-1").build();
 *         FakeCsiPlugin two = FakeCsiPlugin.builder().storage(storage).nodeId("node-2").build()) {
 *     one.startOn("unix:///run/test/one.sock");
 *     two.startOn("unix:///run/test/two.sock");
 *     // ... let the code under test talk to both ...
 *     assertThat(storage.volumeIds()).isEmpty();
 *     assertThat(one.overlappingCalls() + two.overlappingCalls()).isZero();
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
