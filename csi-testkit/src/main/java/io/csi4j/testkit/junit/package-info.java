/**
 * A JUnit extension that gives tests a fake plugin and fails those that misuse it: {@link io.csi4j.testkit.junit.CsiPluginTest} and {@link
 * io.csi4j.testkit.junit.CsiPluginExtension}.
 *
 * <pre>{@code
 * @CsiPluginTest
 * @Test
 * void schedulerReadsName(FakeCsiPlugin plugin, CsiClient client) {
 *     plugin.onCall(Rpc.GET_PLUGIN_INFO).once().failWith(StatusCode.UNAVAILABLE);
 *     // ... let the code under test use the client ...
 * }
 * }</pre>
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.junit;

import org.jspecify.annotations.NullMarked;
