@NullMarked
package io.csi4j.testkit.agent;

import org.jspecify.annotations.NullMarked;
