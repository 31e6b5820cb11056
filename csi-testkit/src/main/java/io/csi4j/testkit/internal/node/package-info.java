/** The node service of a fake plugin: staging and publishing. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.node;

import org.jspecify.annotations.NullMarked;
