/**
 * A strict fake CSI plugin, to be used in tests instead of a real one, or from the command line.
 *
 * <p>Strict means: a call in the wrong order, a field that a capability does not allow, a second call while one is
 * pending, a changed argument in a repeated call are all refused, with the code that CSI names and a text that says
 * what to do. A caller that gets along with this plugin has kept the rules.
 *
 * <p>{@link io.csi4j.testkit.FakeCsiPlugin} runs in this process, {@link io.csi4j.testkit.FakePluginProcess} in one of
 * its own; plugins of several nodes share a {@link io.csi4j.testkit.FakeStorage}.
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
 */
@NullMarked
package io.csi4j.testkit;

import org.jspecify.annotations.NullMarked;
