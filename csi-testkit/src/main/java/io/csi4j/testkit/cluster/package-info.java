/**
 * A fake cluster for the tests of schedulers: the real lifecycle engine and state store over fake nodes and fake plugins.
 *
 * <pre>{@code
 * try (FakeCluster cluster = FakeCluster.onVirtualTime()) {
 *     FakeNode node = cluster.addNode("n1");
 *     VolumeKey volume = cluster.createVolume("db", VolumeAccessMode.SINGLE_NODE_WRITER);
 *     FakeAllocation web = cluster.startAllocation("web", "n1", volume);
 *     cluster.runUntilIdle();
 *     assertThat(web.hasMounted(volume)).isTrue();
 *     node.crash();
 * }
 * }</pre>
 *
 * <p>On virtual time nothing waits, and all work runs on the thread of the test; on real time the same test uses threads.
 *
 * <p>Terms: {@code docs/GLOSSARY.md}.
 */
@NullMarked
package io.csi4j.testkit.cluster;

import org.jspecify.annotations.NullMarked;
