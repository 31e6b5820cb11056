/** The first example of the guide to the client. */
@NullMarked
package io.csi4j.examples.first;

import org.jspecify.annotations.NullMarked;
