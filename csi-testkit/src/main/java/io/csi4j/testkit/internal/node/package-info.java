/** The node side of a fake plugin: what is staged and published here, and how. Internal to the testkit. */
@NullMarked
package io.csi4j.testkit.internal.node;

import org.jspecify.annotations.NullMarked;
