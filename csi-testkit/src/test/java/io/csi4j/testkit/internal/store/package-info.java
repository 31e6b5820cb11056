@NullMarked
package io.csi4j.testkit.internal.store;

import org.jspecify.annotations.NullMarked;
