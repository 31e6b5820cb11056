@NullMarked
package io.csi4j.testkit.cluster;

import org.jspecify.annotations.NullMarked;
